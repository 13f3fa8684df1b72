/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl.h: oneDNN's C interface for layer normalization, for programs written for oneDNN. Each name is jitnorm's with
 * another prefix. docs/porting.md lists the names and what is refused. Link with jitnorm::onednn. */
#ifndef JITNORM_ONEDNN_H
#define JITNORM_ONEDNN_H

#include "dnnl_debug.h"
#include "dnnl_types.h"
#include "jitnorm/jitnorm.h"

#define dnnl_set_jit_profiling_jitdumpdir jitnorm_set_jit_dump_folder

/* Errors are printed where oneDNN prints them, before main, too. */
__attribute__((constructor)) static void jitnorm_choose_output_of_errors(void) { jitnorm_print_errors_as_onednn(); }

/* The version of oneDNN whose interface this is. jitnorm_version() has the version of this library. */
static inline const dnnl_version_t *dnnl_version(void) {
    static const dnnl_version_t VERSION = {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH,
                                           DNNL_VERSION_HASH,  DNNL_CPU_RUNTIME,   DNNL_GPU_RUNTIME};
    return &VERSION;
}

#endif
