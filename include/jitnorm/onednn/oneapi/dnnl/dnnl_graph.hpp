// SPDX-License-Identifier: Apache-2.0
// dnnl_graph.hpp: oneDNN Graph's C++ interface for layer normalization. The namespace dnnl::graph has the names of
// jitnorm::graph. docs/porting.md lists them.
#ifndef JITNORM_ONEDNN_GRAPH_HPP
#define JITNORM_ONEDNN_GRAPH_HPP

#include "dnnl_common.hpp"
#include "dnnl_graph.h"
#include "jitnorm/jitnorm_graph.hpp"

#endif
