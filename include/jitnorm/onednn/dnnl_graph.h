/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl_graph.h: the short path of oneapi/dnnl/dnnl_graph.h. */
#ifndef JITNORM_ONEDNN_SHORT_DNNL_GRAPH_H
#define JITNORM_ONEDNN_SHORT_DNNL_GRAPH_H

#include "oneapi/dnnl/dnnl_graph.h"

#endif
