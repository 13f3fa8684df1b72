/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl.h: the short path of oneapi/dnnl/dnnl.h. */
#include "oneapi/dnnl/dnnl.h"
