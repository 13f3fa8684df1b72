/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_version.h: the short path of oneapi/dnnl/dnnl_version.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_VERSION_H
#define JITNORM_ONEDNN_SHORT_DNNL_VERSION_H

#include "oneapi/dnnl/dnnl_version.h"

#endif
