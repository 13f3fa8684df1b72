/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl.h: the short path of oneapi/dnnl/dnnl.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_H
#define JITNORM_ONEDNN_SHORT_DNNL_H

#include "oneapi/dnnl/dnnl.h"

#endif
