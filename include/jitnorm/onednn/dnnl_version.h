/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_version.h: the short path of oneapi/dnnl/dnnl_version.h. */
#include "oneapi/dnnl/dnnl_version.h"
