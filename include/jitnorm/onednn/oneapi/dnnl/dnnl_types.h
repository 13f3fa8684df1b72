/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_types.h: oneDNN's names. Most are jitnorm's with another prefix, which are in dnnl_names.h. docs/porting.md says
 * what each name stands for and what is refused. */
#ifndef JITNORM_ONEDNN_TYPES_H
#define JITNORM_ONEDNN_TYPES_H

#include "dnnl_config.h"
#include "dnnl_version.h"
#include "jitnorm/jitnorm_types.h"
#include "jitnorm/onednn/oneapi/dnnl/dnnl_names.h"

#define DNNL_RUNTIME_S32_VAL INT32_MIN

/* Arguments of other operations. An execution of a layer normalization takes none of them. */
#define DNNL_ARG_SRC_0 DNNL_ARG_SRC
#define DNNL_ARG_FROM DNNL_ARG_SRC
#define DNNL_ARG_DST_0 DNNL_ARG_DST
#define DNNL_ARG_TO DNNL_ARG_DST
#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS DNNL_ARG_WEIGHTS_0
#define DNNL_ARG_DIFF_SRC_0 DNNL_ARG_DIFF_SRC
#define DNNL_ARG_DIFF_DST_0 DNNL_ARG_DIFF_DST
#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS DNNL_ARG_DIFF_WEIGHTS_0
#define DNNL_ARG_DIFF_BIAS 169
#define DNNL_ARG_ATTR_ROUNDING_SEED 508

/* Types of scales that layer normalization does not take. */
#define dnnl_e8m0 ((dnnl_data_type_t)13)

/* Profilers that this library does not support. */
#define DNNL_JIT_PROFILE_VTUNE 1u
#define DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC 8u

/* The version of oneDNN whose interface this is, and the kind of threads in this build. */
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     /* DNNL_VERSION_HASH */
    unsigned cpu_runtime; /* DNNL_RUNTIME_* */
    unsigned gpu_runtime; /* DNNL_RUNTIME_NONE */
} dnnl_version_t;

#endif
