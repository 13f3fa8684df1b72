/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_common.h: engines, streams and statuses, which primitives and graphs share. It has everything that dnnl.h has.
 */
#ifndef JITNORM_ONEDNN_COMMON_H
#define JITNORM_ONEDNN_COMMON_H

#include "dnnl.h"

#endif
