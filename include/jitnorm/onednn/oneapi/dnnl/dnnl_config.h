/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_config.h: how the library was built, in oneDNN's terms. */
#ifndef JITNORM_ONEDNN_CONFIG_H
#define JITNORM_ONEDNN_CONFIG_H

#include "jitnorm/jitnorm_types.h"
#include "jitnorm/version.h"

#define DNNL_API
#define DNNL_DEPRECATED

/* Ways to use threads or a graphics processor. */
#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ JITNORM_RUNTIME_SEQ
#define DNNL_RUNTIME_OMP JITNORM_RUNTIME_OMP
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u

#define DNNL_CPU_RUNTIME JITNORM_CPU_RUNTIME
#define DNNL_CPU_THREADING_RUNTIME DNNL_CPU_RUNTIME
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_NONE

/* Makers of graphics processors. */
#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u

#define DNNL_GPU_VENDOR DNNL_VENDOR_NONE

#endif
