/* SPDX-License-Identifier: Apache-2.0 */
/* library.h: the library as a whole: instruction sets, profilers, version. Included by jitnorm_types.h. */
#ifndef JITNORM_TYPES_LIBRARY_H
#define JITNORM_TYPES_LIBRARY_H

#include "status.h"

/* Highest instruction sets for generated code. Without AVX2, on the machine or below the cap, primitives are computed
 * by the plain C++ reference. Values between AVX2 and AVX-512 mean AVX2. Values above AVX-512 mean AVX-512 with its F,
 * BW, DQ and VL parts. */
typedef enum JITNORM_INT {
    jitnorm_cpu_isa_default = 0x0, /* whatever the processor has */
    jitnorm_cpu_isa_sse41 = 0x1,   /* no generated code */
    jitnorm_cpu_isa_avx = 0x3,     /* no generated code */
    jitnorm_cpu_isa_avx2 = 0x7,
    jitnorm_cpu_isa_avx2_vnni = 0xf,
    jitnorm_cpu_isa_avx2_vnni_2 = 0x1f,
    jitnorm_cpu_isa_avx512_core = 0x27,
    jitnorm_cpu_isa_avx512_core_vnni = 0x67,
    jitnorm_cpu_isa_avx512_core_bf16 = 0xe7,
    jitnorm_cpu_isa_avx10_1_512 = 0x1ef,
    jitnorm_cpu_isa_avx512_core_fp16 = jitnorm_cpu_isa_avx10_1_512,
    jitnorm_cpu_isa_avx10_1_512_amx = 0xfef,
    jitnorm_cpu_isa_avx512_core_amx = jitnorm_cpu_isa_avx10_1_512_amx,
    jitnorm_cpu_isa_avx10_1_512_amx_fp16 = 0x1fef,
    jitnorm_cpu_isa_avx512_core_amx_fp16 = jitnorm_cpu_isa_avx10_1_512_amx_fp16,
    jitnorm_cpu_isa_avx10_2_512 = 0x201ff,
    jitnorm_cpu_isa_avx10_2_512_amx_2 = 0x22fff
} jitnorm_cpu_isa_t;

/* Hints about the instruction set. They have no effect here. */
typedef enum JITNORM_INT { jitnorm_cpu_isa_no_hints = 0x0, jitnorm_cpu_isa_prefer_ymm = 0x1 } jitnorm_cpu_isa_hints_t;

/* The profilers that are notified of generated code. Values are oneDNN's; its other profilers are not supported. */
#define JITNORM_JIT_PROFILE_NONE 0u
#define JITNORM_JIT_PROFILE_LINUX_PERFMAP 2u /* Linux perf, by /tmp/perf-PID.map: names */
#define JITNORM_JIT_PROFILE_LINUX_JITDUMP 4u /* Linux perf, by jit-PID.dump: names and instructions */
#define JITNORM_JIT_PROFILE_LINUX_PERF (JITNORM_JIT_PROFILE_LINUX_JITDUMP | JITNORM_JIT_PROFILE_LINUX_PERFMAP)

/* How the library uses threads. */
#define JITNORM_RUNTIME_SEQ 1u /* not at all */
#define JITNORM_RUNTIME_OMP 2u /* OpenMP */

typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     /* of the commit from which the library was built; "unknown" without git */
    unsigned cpu_runtime; /* JITNORM_RUNTIME_* */
} jitnorm_version_t;

#endif
