/* SPDX-License-Identifier: Apache-2.0 */
/* jitnorm_debug.h: why a call failed, and the names of the interface's values, for messages. Included by jitnorm.h. */
#ifndef JITNORM_DEBUG_H
#define JITNORM_DEBUG_H

#include "jitnorm/jitnorm_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Says why the last function of the library that failed on this thread did so, in plain words with the names of
 * arguments: "src has 6 dimensions; 2 to 5 are supported", "argument DIFF_SHIFT is missing". The result is never null.
 * It is empty if no function has failed on this thread yet. Functions that succeed do not change it. The text belongs
 * to the library and stays as it is until a function fails on this thread. It is for people: its wording may change
 * from version to version. The function may be called in every state of a thread or process: when memory is out (then
 * the text may be less exact), in destructors of thread_local objects, and after fork(), where the child has the text
 * of the thread that forked. */
JITNORM_API const char *jitnorm_get_last_error(void);

/* The strings below are static and never null. A value that the enumeration does not have is named "unknown". */

JITNORM_API const char *jitnorm_status2str(jitnorm_status_t value);                       /* "invalid_arguments" */
JITNORM_API const char *jitnorm_dt2str(jitnorm_data_type_t value);                        /* "bf16" */
JITNORM_API const char *jitnorm_fmt_kind2str(jitnorm_format_kind_t value);                /* "blocked" */
JITNORM_API const char *jitnorm_fmt_tag2str(jitnorm_format_tag_t value);                  /* "aBc16b" */
JITNORM_API const char *jitnorm_prop_kind2str(jitnorm_prop_kind_t value);                 /* "forward_training" */
JITNORM_API const char *jitnorm_prim_kind2str(jitnorm_primitive_kind_t value);            /* "layer_normalization" */
JITNORM_API const char *jitnorm_alg_kind2str(jitnorm_alg_kind_t value);                   /* "eltwise_relu" */
JITNORM_API const char *jitnorm_engine_kind2str(jitnorm_engine_kind_t value);             /* "cpu" */
JITNORM_API const char *jitnorm_scratchpad_mode2str(jitnorm_scratchpad_mode_t value);     /* "library" */
JITNORM_API const char *jitnorm_fpmath_mode2str(jitnorm_fpmath_mode_t value);             /* "strict" */
JITNORM_API const char *jitnorm_accumulation_mode2str(jitnorm_accumulation_mode_t value); /* "relaxed" */
JITNORM_API const char *jitnorm_rounding_mode2str(jitnorm_rounding_mode_t value);         /* "environment" */
JITNORM_API const char *jitnorm_quantization_mode2str(jitnorm_quantization_mode_t value); /* "static_sazp" */
JITNORM_API const char *jitnorm_cpu_isa2str(jitnorm_cpu_isa_t value);                     /* "cpu_isa_avx512_core" */
JITNORM_API const char *jitnorm_cpu_isa_hints2str(jitnorm_cpu_isa_hints_t value);         /* "cpu_isa_prefer_ymm" */
JITNORM_API const char *jitnorm_runtime2str(unsigned value);                              /* "OpenMP" */

#ifdef __cplusplus
}
#endif

#endif
