// SPDX-License-Identifier: Apache-2.0
// jitnorm_graph_logical_tensor.hpp: the handles of the graph interface, and logical tensors. Included by
// jitnorm_graph.hpp; everything else is described in jitnorm_graph.h.
#ifndef JITNORM_GRAPH_LOGICAL_TENSOR_HPP
#define JITNORM_GRAPH_LOGICAL_TENSOR_HPP

#include <vector>

#include "jitnorm/jitnorm_graph.h"
#include "jitnorm/jitnorm_handle.hpp"

namespace jitnorm {

JITNORM_DEFINE_HANDLE(jitnorm_graph_graph, graph)
JITNORM_DEFINE_HANDLE(jitnorm_graph_op, op)
JITNORM_DEFINE_HANDLE(jitnorm_graph_partition, partition)
JITNORM_DEFINE_HANDLE(jitnorm_graph_compiled_partition, compiled_partition)
JITNORM_DEFINE_HANDLE(jitnorm_graph_tensor, tensor)

namespace graph {

// The description of a tensor, a plain value.
class logical_tensor {
public:
    using dim = jitnorm_dim_t;
    using dims = std::vector<dim>;

    enum class data_type {
        undef = jitnorm_data_type_undef,
        f16 = jitnorm_f16,
        bf16 = jitnorm_bf16,
        f32 = jitnorm_f32,
        s32 = jitnorm_s32,
        s8 = jitnorm_s8,
        u8 = jitnorm_u8,
        f8_e5m2 = jitnorm_f8_e5m2,
        f8_e4m3 = jitnorm_f8_e4m3
    };

    enum class layout_type {
        undef = jitnorm_graph_layout_type_undef,
        any = jitnorm_graph_layout_type_any,
        strided = jitnorm_graph_layout_type_strided,
        opaque = jitnorm_graph_layout_type_opaque
    };

    enum class property_type {
        undef = jitnorm_graph_tensor_property_undef,
        variable = jitnorm_graph_tensor_property_variable,
        constant = jitnorm_graph_tensor_property_constant,
        host_scalar = jitnorm_graph_tensor_property_host_scalar
    };

    logical_tensor() : data_() {}
    explicit logical_tensor(const jitnorm_graph_logical_tensor_t &c_data) : data_(c_data) {}

    // A tensor of unknown dimensions. ndims is their number, or JITNORM_GRAPH_UNKNOWN_NDIMS.
    logical_tensor(size_t tid, data_type type, int32_t ndims, layout_type layout,
                   property_type property = property_type::undef) {
        error::wrap_c_api(
            jitnorm_graph_logical_tensor_init(&data_, tid, convert(type), ndims, convert(layout), convert(property)),
            "could not create a logical tensor");
    }
    logical_tensor(size_t tid, data_type type, layout_type layout = layout_type::undef)
        : logical_tensor(tid, type, JITNORM_GRAPH_UNKNOWN_NDIMS, layout) {}

    // If there are no sizes, the tensor is a scalar.
    logical_tensor(size_t tid, data_type type, const dims &sizes, layout_type layout,
                   property_type property = property_type::undef) {
        error::wrap_c_api(jitnorm_graph_logical_tensor_init_with_dims(&data_, tid, convert(type),
                                                                      static_cast<int32_t>(sizes.size()), sizes.data(),
                                                                      convert(layout), convert(property)),
                          "could not create a logical tensor with dimensions");
    }
    logical_tensor(size_t tid, data_type type, const dims &sizes, const dims &strides,
                   property_type property = property_type::undef) {
        if (sizes.size() != strides.size())
            throw error(jitnorm_invalid_arguments, "there must be as many strides as dimensions");
        error::wrap_c_api(jitnorm_graph_logical_tensor_init_with_strides(
                              &data_, tid, convert(type), static_cast<int32_t>(sizes.size()), sizes.data(),
                              strides.data(), convert(property)),
                          "could not create a logical tensor with strides");
    }

    size_t get_id() const { return data_.id; }
    data_type get_data_type() const { return static_cast<data_type>(data_.data_type); }
    property_type get_property_type() const { return static_cast<property_type>(data_.property); }
    layout_type get_layout_type() const { return static_cast<layout_type>(data_.layout_type); }
    dims get_dims() const { return values(data_.dims); }
    dims get_strides() const {
        if (get_layout_type() != layout_type::strided)
            throw error(jitnorm_invalid_arguments, "the layout is not strided");
        return values(data_.layout.strides);
    }
    // Throws: no layout of this library is opaque.
    size_t get_layout_id() const {
        if (get_layout_type() != layout_type::opaque)
            throw error(jitnorm_invalid_arguments, "the layout is not opaque");
        return data_.layout.layout_id;
    }
    size_t get_mem_size() const {
        size_t size = 0;
        error::wrap_c_api(jitnorm_graph_logical_tensor_get_mem_size(&data_, &size),
                          "could not get the size of a logical tensor");
        return size;
    }
    bool is_equal(const logical_tensor &other) const {
        uint8_t equal = 0;
        error::wrap_c_api(jitnorm_graph_logical_tensor_is_equal(&data_, &other.data_, &equal),
                          "could not compare two logical tensors");
        return equal != 0;
    }

    const jitnorm_graph_logical_tensor_t &c_data() const { return data_; }

private:
    static jitnorm_data_type_t convert(data_type v) { return static_cast<jitnorm_data_type_t>(v); }
    static jitnorm_graph_layout_type_t convert(layout_type v) { return static_cast<jitnorm_graph_layout_type_t>(v); }
    static jitnorm_graph_tensor_property_t convert(property_type v) {
        return static_cast<jitnorm_graph_tensor_property_t>(v);
    }
    dims values(const dim *first) const {
        if (data_.ndims < 0 || data_.ndims > JITNORM_MAX_NDIMS)
            throw error(jitnorm_invalid_arguments, "the number of dimensions is not known");
        return dims(first, first + data_.ndims);
    }

    jitnorm_graph_logical_tensor_t data_;
};

} // namespace graph
} // namespace jitnorm

#endif
