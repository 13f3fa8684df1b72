/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_debug.h: the short path of oneapi/dnnl/dnnl_debug.h. */
#include "oneapi/dnnl/dnnl_debug.h"
