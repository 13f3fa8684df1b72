// SPDX-License-Identifier: Apache-2.0
// dnnl_graph.hpp: the short path of oneapi/dnnl/dnnl_graph.hpp.
#ifndef JITNORM_ONEDNN_SHORT_DNNL_GRAPH_HPP
#define JITNORM_ONEDNN_SHORT_DNNL_GRAPH_HPP

#include "oneapi/dnnl/dnnl_graph.hpp"

#endif
