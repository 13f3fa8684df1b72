// SPDX-License-Identifier: Apache-2.0
// dnnl_graph.hpp: the short path of oneapi/dnnl/dnnl_graph.hpp.
#include "oneapi/dnnl/dnnl_graph.hpp"
