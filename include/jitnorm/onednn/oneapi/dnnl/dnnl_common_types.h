/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_common_types.h: engines, streams and statuses, which primitives and graphs share. It has everything that
 * dnnl_types.h has. */
#ifndef JITNORM_ONEDNN_COMMON_TYPES_H
#define JITNORM_ONEDNN_COMMON_TYPES_H

#include "dnnl_types.h"

#endif
