/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_config.h: the short path of oneapi/dnnl/dnnl_config.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_CONFIG_H
#define JITNORM_ONEDNN_SHORT_DNNL_CONFIG_H

#include "oneapi/dnnl/dnnl_config.h"

#endif
