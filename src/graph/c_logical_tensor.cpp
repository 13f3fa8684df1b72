// SPDX-License-Identifier: Apache-2.0
// C interface: logical tensors.
#include <algorithm>

#include "../base/boundary.hpp"
#include "jitnorm/jitnorm_graph.h"
#include "operation/logical_tensor.hpp"

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
    if (any_null(logical_tensor)) return report(__func__, JITNORM_NULL_AMONG(logical_tensor));
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
        return report(__func__, JITNORM_NULL_AMONG(logical_tensor, dims));
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
        return report(__func__, JITNORM_NULL_AMONG(logical_tensor, dims, strides));
    if (ndims < 0 || ndims > MAX_NDIMS) return report(__func__, bad_rank(ndims, 0));
    *logical_tensor = make(tid, dtype, ndims, jitnorm_graph_layout_type_strided, ptype);
    std::copy(dims, dims + ndims, logical_tensor->dims);
    std::copy(strides, strides + ndims, logical_tensor->layout.strides);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_get_mem_size(const jitnorm_graph_logical_tensor_t *logical_tensor,
                                                           size_t *size) {
    if (any_null(logical_tensor, size)) return report(__func__, JITNORM_NULL_AMONG(logical_tensor, size));
    if (!has_legal_rank(*logical_tensor)) return report(__func__, bad_rank(logical_tensor->ndims));
    *size = size_in_bytes(*logical_tensor);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_graph_logical_tensor_is_equal(const jitnorm_graph_logical_tensor_t *lt1,
                                                       const jitnorm_graph_logical_tensor_t *lt2, uint8_t *is_equal) {
    if (any_null(lt1, lt2, is_equal)) return report(__func__, JITNORM_NULL_AMONG(lt1, lt2, is_equal));
    for (const auto *lt : {lt1, lt2})
        if (!has_legal_rank(*lt)) return report(__func__, bad_rank(lt->ndims));
    *is_equal = are_equal(*lt1, *lt2) ? 1 : 0;
    return jitnorm_success;
}
