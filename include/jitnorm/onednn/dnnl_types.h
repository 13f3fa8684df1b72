/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_types.h: the short path of oneapi/dnnl/dnnl_types.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_TYPES_H
#define JITNORM_ONEDNN_SHORT_DNNL_TYPES_H

#include "oneapi/dnnl/dnnl_types.h"

#endif
