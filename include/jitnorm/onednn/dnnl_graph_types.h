/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph_types.h: the short path of oneapi/dnnl/dnnl_graph_types.h. */
#include "oneapi/dnnl/dnnl_graph_types.h"
