/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_debug.h: the names of the interface's values, for messages. Included by jitnorm.h.
 *
 * The strings are static and never null; a value that the enumeration does not have is named "unknown". */
#ifndef JITNORM_DEBUG_H
#define JITNORM_DEBUG_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

JITNORM_API const char *jitnorm_status2str(jitnorm_status_t value);                   /* "invalid_arguments" */
JITNORM_API const char *jitnorm_dt2str(jitnorm_data_type_t value);                    /* "bf16" */
JITNORM_API const char *jitnorm_fmt_kind2str(jitnorm_format_kind_t value);            /* "blocked" */
JITNORM_API const char *jitnorm_fmt_tag2str(jitnorm_format_tag_t value);              /* "aBc16b" */
JITNORM_API const char *jitnorm_prop_kind2str(jitnorm_prop_kind_t value);             /* "forward_training" */
JITNORM_API const char *jitnorm_prim_kind2str(jitnorm_primitive_kind_t value);        /* "layer_normalization" */
JITNORM_API const char *jitnorm_alg_kind2str(jitnorm_alg_kind_t value);               /* "eltwise_relu" */
JITNORM_API const char *jitnorm_engine_kind2str(jitnorm_engine_kind_t value);         /* "cpu" */
JITNORM_API const char *jitnorm_scratchpad_mode2str(jitnorm_scratchpad_mode_t value); /* "library" */
JITNORM_API const char *jitnorm_cpu_isa2str(jitnorm_cpu_isa_t value);                 /* "cpu_isa_avx512_core" */
JITNORM_API const char *jitnorm_runtime2str(unsigned value);                          /* "OpenMP" */

#ifdef __cplusplus
}
#endif

#endif
