/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_config.h: the short path of oneapi/dnnl/dnnl_config.h. */
#include "oneapi/dnnl/dnnl_config.h"
