// SPDX-License-Identifier: Apache-2.0
// dnnl_graph.hpp: oneDNN Graph's C++ interface for layer normalization. The namespace dnnl::graph has the names of
// jitnorm::graph, and what programs for oneDNN set before they build a graph. docs/porting.md lists them.
#ifndef JITNORM_ONEDNN_GRAPH_HPP
#define JITNORM_ONEDNN_GRAPH_HPP

#include "dnnl_common.hpp"
#include "dnnl_graph.h"
#include "jitnorm/jitnorm_graph.hpp"

namespace jitnorm {
JITNORM_DEFINE_HANDLE(dnnl_graph_allocator, allocator)
} // namespace jitnorm

namespace dnnl {
namespace graph {

using jitnorm::graph::compiled_partition;
using jitnorm::graph::engine;
using jitnorm::graph::fpmath_mode;
using jitnorm::graph::graph;
using jitnorm::graph::logical_tensor;
using jitnorm::graph::op;
using jitnorm::graph::partition;
using jitnorm::graph::status;
using jitnorm::graph::stream;
using jitnorm::graph::tensor;

// An allocator is accepted and not called.
class allocator : public handle<dnnl_graph_allocator_t> {
public:
    using handle::handle;
    allocator() : allocator(nullptr, nullptr) {}
    allocator(dnnl_graph_host_allocate_f host_malloc, dnnl_graph_host_deallocate_f host_free) {
        create("could not create an allocator", dnnl_graph_allocator_create, host_malloc, host_free);
    }
};

inline engine make_engine_with_allocator(engine::kind kind, size_t index, const allocator &alloc) {
    dnnl_engine_t result = nullptr;
    error::wrap_c_api(
        dnnl_graph_make_engine_with_allocator(&result, static_cast<dnnl_engine_kind_t>(kind), index, alloc.get()),
        "could not make an engine with an allocator");
    return engine(result);
}

inline int get_compiled_partition_cache_capacity() { return get_primitive_cache_capacity(); }
inline void set_compiled_partition_cache_capacity(int capacity) { set_primitive_cache_capacity(capacity); }

// No constant tensor is cached.
inline void set_constant_tensor_cache(int flag) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache(flag), "could not set the constant tensor cache");
}
inline int get_constant_tensor_cache() { return 0; }
inline void set_constant_tensor_cache_capacity(engine::kind kind, size_t size) {
    error::wrap_c_api(dnnl_graph_set_constant_tensor_cache_capacity(static_cast<dnnl_engine_kind_t>(kind), size),
                      "could not set the constant tensor cache's capacity");
}
inline size_t get_constant_tensor_cache_capacity(engine::kind kind) {
    size_t result = 0;
    error::wrap_c_api(dnnl_graph_get_constant_tensor_cache_capacity(static_cast<dnnl_engine_kind_t>(kind), &result),
                      "could not get the constant tensor cache's capacity");
    return result;
}

// No graph is written to a file: other modes than none are refused (invalid_arguments).
enum class graph_dump_mode : unsigned {
    none = dnnl_graph_dump_mode_none,
    subgraph = dnnl_graph_dump_mode_subgraph,
    graph = dnnl_graph_dump_mode_graph
};
JITNORM_DEFINE_BITMASK(graph_dump_mode)

inline status set_dump_mode(graph_dump_mode modes) {
    return static_cast<status>(dnnl_graph_set_dump_mode(static_cast<dnnl_graph_dump_mode_t>(modes)));
}

} // namespace graph
} // namespace dnnl

#endif
