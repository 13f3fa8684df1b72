// SPDX-License-Identifier: Apache-2.0
#include "op.hpp"

#include <algorithm>
#include <numeric>

#include "../../tensor/names.hpp"

namespace jitnorm::impl::graph {

namespace {

bool are_known(const dim_t *values, int count) {
    return std::none_of(values, values + count, [](dim_t value) { return value == JITNORM_GRAPH_UNKNOWN_DIM; });
}

} // namespace

bool is_shape_known(const logical_tensor &lt) { return lt.ndims >= 0 && are_known(lt.dims, lt.ndims); }

bool are_strides_known(const logical_tensor &lt) { return are_known(lt.layout.strides, lt.ndims); }

bool are_equal(const logical_tensor &a, const logical_tensor &b) {
    const auto shown = [](const logical_tensor &lt) { return lt.ndims < 0 ? 0 : lt.ndims; };
    if (a.id != b.id || a.ndims != b.ndims || a.data_type != b.data_type || a.property != b.property) return false;
    if (a.layout_type != b.layout_type || !std::equal(a.dims, a.dims + shown(a), b.dims)) return false;
    if (a.layout_type == jitnorm_graph_layout_type_opaque) return a.layout.layout_id == b.layout.layout_id;
    return a.layout_type != jitnorm_graph_layout_type_strided ||
           std::equal(a.layout.strides, a.layout.strides + shown(a), b.layout.strides);
}

void set_shape(logical_tensor &lt, std::span<const dim_t> dims) {
    lt.ndims = int(dims.size());
    std::copy(dims.begin(), dims.end(), lt.dims);
}

bool lay_out_densely(logical_tensor &lt, const logical_tensor *model) {
    int order[MAX_NDIMS]; // the innermost dimension is the last
    std::iota(order, order + MAX_NDIMS, 0);
    if (model != nullptr) order_by_strides(model->layout.strides, lt.ndims, order);
    lt.layout_type = jitnorm_graph_layout_type_strided;
    dim_t stride = 1;
    for (int i = lt.ndims - 1; i >= 0; --i) {
        lt.layout.strides[order[i]] = stride;
        if (__builtin_mul_overflow(stride, std::max<dim_t>(lt.dims[order[i]], 1), &stride)) return false;
    }
    return true;
}

bool broadcasts_to(const logical_tensor &lt, std::span<const dim_t> dims) {
    const int more = int(dims.size()) - lt.ndims; // dimensions that the tensor lacks; negative if it has too many
    for (int d = 0; d < lt.ndims; ++d) {
        const int at = d + more;
        if (lt.dims[d] != 1 && (at < 0 || lt.dims[d] != dims[size_t(at)])) return false;
    }
    return true;
}

size_t size_in_bytes(const logical_tensor &lt) {
    if (lt.layout_type != jitnorm_graph_layout_type_strided || !is_shape_known(lt) || !are_strides_known(lt))
        return size_t(-1);
    constexpr dim_t ONE = 1; // a tensor without dimensions is one element
    memory_desc md;
    const status made = lt.ndims == 0 ? make_with_strides(md, 1, &ONE, lt.data_type, &ONE)
                                      : make_with_strides(md, lt.ndims, lt.dims, lt.data_type, lt.layout.strides);
    return made.failed() ? size_t(-1) : bytes(md);
}

} // namespace jitnorm::impl::graph
