/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_version.h: the version of oneDNN whose interface these headers have. */
#ifndef JITNORM_ONEDNN_VERSION_H
#define JITNORM_ONEDNN_VERSION_H

#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 8
#define DNNL_VERSION_PATCH 0

/* Says that the library is not oneDNN. */
#define DNNL_VERSION_HASH "jitnorm"

#endif
