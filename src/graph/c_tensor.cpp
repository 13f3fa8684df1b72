// SPDX-License-Identifier: Apache-2.0
// C interface: logical tensors, with the functions on them that op.hpp declares, and tensors.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "../base/boundary.hpp"
#include "../tensor/names.hpp"
#include "jitnorm/jitnorm_graph.h"
#include "operation/op.hpp"

namespace jitnorm::impl::graph {

bool is_shape_known(const logical_tensor &lt) {
    return lt.ndims >= 0 && std::ranges::count(dims_of(lt), JITNORM_GRAPH_UNKNOWN_DIM) == 0;
}

bool are_strides_known(const logical_tensor &lt) {
    return std::count(lt.layout.strides, lt.layout.strides + lt.ndims, JITNORM_GRAPH_UNKNOWN_DIM) == 0;
}

bool are_alike(const logical_tensor &a, const logical_tensor &b) {
    if (a.data_type != b.data_type || a.layout_type != b.layout_type || a.ndims != b.ndims) return false;
    const size_t known = dims_of(a).size();
    if (!std::equal(a.dims, a.dims + known, b.dims)) return false;
    if (a.layout_type == jitnorm_graph_layout_type_opaque) return a.layout.layout_id == b.layout.layout_id;
    return a.layout_type != jitnorm_graph_layout_type_strided ||
           std::equal(a.layout.strides, a.layout.strides + known, b.layout.strides);
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

using namespace jitnorm::impl;
using namespace jitnorm::impl::graph;

namespace {

// Sizes and strides are unknown, also those beyond the last dimension.
logical_tensor make(size_t id, jitnorm_data_type_t type, int ndims, jitnorm_graph_layout_type_t layout,
                    jitnorm_graph_tensor_property_t property) {
    logical_tensor lt = {};
    lt.id = id;
    lt.ndims = ndims;
    lt.data_type = type;
    lt.property = property;
    lt.layout_type = layout;
    std::fill(std::begin(lt.dims), std::end(lt.dims), JITNORM_GRAPH_UNKNOWN_DIM);
    std::fill(std::begin(lt.layout.strides), std::end(lt.layout.strides), JITNORM_GRAPH_UNKNOWN_DIM);
    return lt;
}

} // namespace

jitnorm_status_t jitnorm_graph_logical_tensor_init(jitnorm_graph_logical_tensor_t *logical_tensor, size_t tid,
                                                   jitnorm_data_type_t dtype, int32_t ndims,
                                                   jitnorm_graph_layout_type_t ltype,
                                                   jitnorm_graph_tensor_property_t ptype) {
    JITNORM_REFUSE_NULL(logical_tensor);
    if (ndims < JITNORM_GRAPH_UNKNOWN_NDIMS || ndims > MAX_NDIMS) return report(__func__, bad_rank(ndims));
    *logical_tensor = make(tid, dtype, ndims, ltype, ptype);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_init_with_dims(jitnorm_graph_logical_tensor_t *logical_tensor, size_t tid,
                                                             jitnorm_data_type_t dtype, int32_t ndims,
                                                             const jitnorm_dims_t dims,
                                                             jitnorm_graph_layout_type_t ltype,
                                                             jitnorm_graph_tensor_property_t ptype) {
    if (any_null(logical_tensor) || (ndims > 0 && dims == nullptr))
        return report_null(__func__, "logical_tensor, dims", {logical_tensor, dims});
    if (ndims < 0 || ndims > MAX_NDIMS) return report(__func__, bad_rank(ndims, 0));
    graph::logical_tensor made = make(tid, dtype, ndims, ltype, ptype);
    std::copy(dims, dims + ndims, made.dims);
    const bool is_strided = ltype == jitnorm_graph_layout_type_strided;
    if (is_strided && is_shape_known(made) && !lay_out_densely(made))
        return report(__func__, invalid(explain("tensor %zu is too large to be addressed", tid)));
    *logical_tensor = made;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_init_with_strides(jitnorm_graph_logical_tensor_t *logical_tensor,
                                                                size_t tid, jitnorm_data_type_t dtype, int32_t ndims,
                                                                const jitnorm_dims_t dims, const jitnorm_dims_t strides,
                                                                jitnorm_graph_tensor_property_t ptype) {
    if (any_null(logical_tensor) || (ndims > 0 && any_null(dims, strides)))
        return report_null(__func__, "logical_tensor, dims, strides", {logical_tensor, dims, strides});
    if (ndims < 0 || ndims > MAX_NDIMS) return report(__func__, bad_rank(ndims, 0));
    graph::logical_tensor made = make(tid, dtype, ndims, jitnorm_graph_layout_type_strided, ptype);
    std::copy(dims, dims + ndims, made.dims);
    std::copy(strides, strides + ndims, made.layout.strides);
    *logical_tensor = made; // of which dims and strides may be members
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_get_mem_size(const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                           size_t *size) {
    JITNORM_REFUSE_NULL(logical_tensor, size);
    if (!has_legal_rank(*logical_tensor)) return report(__func__, bad_rank(logical_tensor->ndims));
    *size = size_in_bytes(*logical_tensor);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_is_equal(const jitnorm_graph_logical_tensor_t *lt1,
                                                       const jitnorm_graph_logical_tensor_t *lt2, uint8_t *is_equal) {
    JITNORM_REFUSE_NULL(lt1, lt2, is_equal);
    for (const auto *lt : {lt1, lt2})
        if (!has_legal_rank(*lt)) return report(__func__, bad_rank(lt->ndims));
    *is_equal = are_equal(*lt1, *lt2) ? 1 : 0;
    return jitnorm_success;
}

// ---- tensors

jitnorm_status_t jitnorm_graph_tensor_create_scalar(jitnorm_graph_tensor_t *tensor,
                                                    const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                    const void *scalar) {
    JITNORM_REFUSE_NULL(tensor, logical_tensor, scalar);
    return guarded(__func__, [&]() -> status {
        const jitnorm_graph_logical_tensor_t &lt = *logical_tensor;
        if (lt.ndims != 0) return invalid(explain("the logical tensor has %d dimensions; a scalar has none", lt.ndims));
        if (lt.property != jitnorm_graph_tensor_property_host_scalar)
            return invalid(
                explain("the logical tensor has the property %d; host_scalar is expected", int(lt.property)));
        const size_t size = size_of(lt.data_type);
        if (size == 0) return unknown_data_type(lt.data_type);
        aligned_bytes owned(allocate_aligned(size));
        jitnorm_engine_t cpu = nullptr;
        if (owned == nullptr || jitnorm_engine_create(&cpu, jitnorm_cpu, 0) != jitnorm_success) return OUT_OF_MEMORY;
        void *data = std::memcpy(owned.get(), scalar, size);
        *tensor = new jitnorm_graph_tensor{lt, cpu, data, std::move(owned)};
        return {};
    });
}

jitnorm_status_t jitnorm_graph_tensor_create(jitnorm_graph_tensor_t *tensor,
                                             const jitnorm_graph_logical_tensor_t *logical_tensor,
                                             jitnorm_engine_t engine, void *handle) {
    JITNORM_REFUSE_NULL(tensor, logical_tensor, engine);
    return guarded(__func__, [&]() -> status {
        const jitnorm_graph_logical_tensor_t &lt = *logical_tensor;
        if (!has_legal_rank(lt)) return bad_rank(lt.ndims);
        const bool allocate = handle == JITNORM_MEMORY_ALLOCATE;
        const size_t size = allocate ? size_in_bytes(lt) : 0;
        if (size == size_t(-1)) return invalid(explain("the size of tensor %zu is not known", lt.id));
        aligned_bytes owned(size == 0 ? nullptr : allocate_aligned(size));
        if (size != 0 && owned == nullptr) return OUT_OF_MEMORY;
        void *data = allocate ? owned.get() : handle;
        *tensor = new jitnorm_graph_tensor{lt, engine, data, std::move(owned)};
        return {};
    });
}

jitnorm_status_t jitnorm_graph_tensor_destroy(jitnorm_graph_tensor_t tensor) { return destroy(tensor); }

JITNORM_GETTER(jitnorm_graph_tensor_get_data_handle, const_jitnorm_graph_tensor_t, tensor, void *, handle,
               tensor->handle)

jitnorm_status_t jitnorm_graph_tensor_set_data_handle(jitnorm_graph_tensor_t tensor, void *handle) {
    JITNORM_REFUSE_NULL(tensor);
    if (handle != tensor->owned.get()) tensor->owned.reset();
    tensor->handle = handle;
    return jitnorm_success;
}

JITNORM_GETTER(jitnorm_graph_tensor_get_engine, const_jitnorm_graph_tensor_t, tensor, jitnorm_engine_t, engine,
               tensor->engine)
JITNORM_GETTER(jitnorm_graph_tensor_get_logical_tensor, const_jitnorm_graph_tensor_t, tensor,
               jitnorm_graph_logical_tensor_t, logical_tensor, tensor->description)
