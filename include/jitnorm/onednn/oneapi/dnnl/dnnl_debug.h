/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_debug.h: the names of values, for messages. */
#ifndef JITNORM_ONEDNN_DEBUG_H
#define JITNORM_ONEDNN_DEBUG_H

#include "dnnl_types.h"
#include "jitnorm/jitnorm_debug.h"

#define dnnl_status2str jitnorm_status2str
#define dnnl_dt2str jitnorm_dt2str
#define dnnl_fmt_kind2str jitnorm_fmt_kind2str
#define dnnl_fmt_tag2str jitnorm_fmt_tag2str
#define dnnl_prop_kind2str jitnorm_prop_kind2str
#define dnnl_prim_kind2str jitnorm_prim_kind2str
#define dnnl_alg_kind2str jitnorm_alg_kind2str
#define dnnl_engine_kind2str jitnorm_engine_kind2str
#define dnnl_scratchpad_mode2str jitnorm_scratchpad_mode2str
#define dnnl_cpu_isa2str jitnorm_cpu_isa2str
#define dnnl_runtime2str jitnorm_runtime2str

#endif
