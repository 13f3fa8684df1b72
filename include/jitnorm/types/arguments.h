/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h: the arguments of an execution, by which tensors are given to it. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_ARGUMENTS_H
#define JITNORM_TYPES_ARGUMENTS_H

#include "objects.h"

/* One entry of an execution's argument list: which tensor, and the memory that holds it. */
typedef struct {
    int arg; /* JITNORM_ARG_* */
    jitnorm_memory_t memory;
} jitnorm_exec_arg_t;

#define JITNORM_ARG_SRC 1
#define JITNORM_ARG_SRC_1 2
#define JITNORM_ARG_SRC_2 3
#define JITNORM_ARG_DST 17
#define JITNORM_ARG_DST_1 18
#define JITNORM_ARG_DST_2 19
#define JITNORM_ARG_BIAS 41
#define JITNORM_ARG_MEAN 49
#define JITNORM_ARG_VARIANCE 50
#define JITNORM_ARG_SCALE 51
#define JITNORM_ARG_SHIFT 52
#define JITNORM_ARG_ROW_SUMS 57
#define JITNORM_ARG_WORKSPACE 64
#define JITNORM_ARG_SCRATCHPAD 80
#define JITNORM_ARG_DIFF_SRC 129
#define JITNORM_ARG_DIFF_SRC_1 130
#define JITNORM_ARG_DIFF_SRC_2 131
#define JITNORM_ARG_DIFF_DST 145
#define JITNORM_ARG_DIFF_DST_1 146
#define JITNORM_ARG_DIFF_SCALE 255
#define JITNORM_ARG_DIFF_SHIFT 256
#define JITNORM_ARG_ATTR_SCALES 4096
#define JITNORM_ARG_ATTR_ZERO_POINTS 8192
#define JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE 32768
#define JITNORM_ARG_ATTR_MULTIPLE_POST_OP(index) (JITNORM_ARG_ATTR_MULTIPLE_POST_OP_BASE * ((index) + 1))

#endif
