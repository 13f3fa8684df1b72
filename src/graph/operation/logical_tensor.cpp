// SPDX-License-Identifier: Apache-2.0
#include "op.hpp"

#include <algorithm>

#include "../../tensor/names.hpp"

namespace jitnorm::impl::graph {

namespace {

bool are_known(const dim_t *values, int count) {
    return std::none_of(values, values + count, [](dim_t value) { return value == JITNORM_GRAPH_UNKNOWN_DIM; });
}

// Sets strides without gaps. order[ndims - 1] is the innermost dimension. False if a stride overflows.
bool set_strides(logical_tensor &lt, const int *order) {
    lt.layout_type = jitnorm_graph_layout_type_strided;
    dim_t stride = 1;
    for (int i = lt.ndims - 1; i >= 0; --i) {
        lt.layout.strides[order[i]] = stride;
        if (__builtin_mul_overflow(stride, std::max<dim_t>(lt.dims[order[i]], 1), &stride)) return false;
    }
    return true;
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

bool lay_out_densely(logical_tensor &lt) {
    int order[MAX_NDIMS];
    for (int d = 0; d < lt.ndims; ++d) order[d] = d;
    return set_strides(lt, order);
}

bool lay_out_densely_like(logical_tensor &lt, const logical_tensor &model) {
    int order[MAX_NDIMS];
    order_by_strides(model.layout.strides, lt.ndims, order);
    return set_strides(lt, order);
}

bool describe_dims(const logical_tensor &lt, int first, int last, memory_desc &md) {
    constexpr dim_t ONE = 1;
    const auto code =
        first == last ? make_with_strides(md, 1, &ONE, lt.data_type, &ONE)
                      : make_with_strides(md, last - first, lt.dims + first, lt.data_type, lt.layout.strides + first);
    return code == jitnorm_success;
}

bool describe_flat(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md) {
    jitnorm_dims_t strides;
    dim_t stride = lt.layout.strides[0];
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = stride;
        if (d > 0 && __builtin_mul_overflow(stride, std::max<dim_t>(dims[d], 1), &stride)) return false;
    }
    return make_with_strides(md, int(dims.size()), dims.data(), lt.data_type, strides) == jitnorm_success;
}

bool broadcasts_to(const logical_tensor &lt, std::span<const dim_t> dims) {
    const int more = int(dims.size()) - lt.ndims; // dimensions that the tensor lacks; negative if it has too many
    for (int d = 0; d < lt.ndims; ++d) {
        const int at = d + more;
        if (lt.dims[d] != 1 && (at < 0 || lt.dims[d] != dims[size_t(at)])) return false;
    }
    return true;
}

bool describe_broadcast(const logical_tensor &lt, std::span<const dim_t> dims, memory_desc &md) {
    jitnorm_dims_t strides = {};
    const int rank = int(dims.size()), more = rank - lt.ndims;
    for (int d = std::max(0, more); d < rank; ++d)
        if (lt.dims[d - more] == dims[size_t(d)]) strides[d] = lt.layout.strides[d - more];
    return make_with_strides(md, rank, dims.data(), lt.data_type, strides) == jitnorm_success;
}

bool describe_aligned(const logical_tensor &lt, int rank, memory_desc &md) {
    jitnorm_dims_t dims, strides;
    std::fill_n(dims, rank, 1);
    std::fill_n(strides, rank, 1);
    const int more = rank - lt.ndims;
    for (int d = std::max(0, more); d < rank; ++d) {
        dims[d] = lt.dims[d - more];
        strides[d] = lt.layout.strides[d - more];
    }
    return make_with_strides(md, rank, dims, lt.data_type, strides) == jitnorm_success;
}

size_t size_in_bytes(const logical_tensor &lt) {
    memory_desc md;
    const bool known =
        lt.layout_type == jitnorm_graph_layout_type_strided && is_shape_known(lt) && are_strides_known(lt);
    return known && describe_dims(lt, 0, lt.ndims, md) ? bytes(md) : size_t(-1);
}

} // namespace jitnorm::impl::graph
