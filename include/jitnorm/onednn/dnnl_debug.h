/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_debug.h: the short path of oneapi/dnnl/dnnl_debug.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_DEBUG_H
#define JITNORM_ONEDNN_SHORT_DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_debug.h"

#endif
