/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_debug.h: the names of values, for messages. */
#ifndef JITNORM_ONEDNN_DEBUG_H
#define JITNORM_ONEDNN_DEBUG_H

#include "dnnl_types.h"
#include "jitnorm/jitnorm_debug.h"

#endif
