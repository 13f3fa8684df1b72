// SPDX-License-Identifier: Apache-2.0
// buffer: where each element of a tensor lies (layout), and its elements in guarded memory. They are read and written
// as doubles, for every type and layout.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "data_type.hpp"

namespace benchdnn_lite {

struct library;

struct inner_block {
    size_t dim;
    dim_t size;
    bool operator==(const inner_block &) const = default;
};

struct layout {
    data_type type = jitnorm_data_type_undef;
    std::vector<dim_t> dims, padded_dims;
    std::vector<dim_t> strides;      // of the outer blocks
    std::vector<inner_block> blocks; // outermost first
    dim_t offset0 = 0;

    bool operator==(const layout &) const = default;
    dim_t elements() const;
    dim_t padded_elements() const;

    // The number that index i of dimension d adds to the offset.
    dim_t share(size_t d, dim_t i) const;
    // Offset of an element. `number` counts the elements in row-major order of the dimensions `over`, which are dims or
    // padded_dims.
    dim_t offset_of(dim_t number, const std::vector<dim_t> &over) const;
    dim_t offset_of(dim_t number) const { return offset_of(number, dims); }
};

layout layout_of(const library &from, const_jitnorm_memory_desc_t desc); // `from` has made desc

// The index in each dimension of the element with a row-major number.
std::vector<dim_t> position_of(dim_t number, const std::vector<dim_t> &dims);
// A value for each element of `to` from a tensor whose dimensions `own` are the last ones of `to`, or 1 in their place.
std::vector<double> broadcast(const std::vector<double> &values, std::vector<dim_t> own, const std::vector<dim_t> &to);

// Memory aligned to 64 bytes, filled with zeros, with bytes of a known value on both sides. guards_intact() says
// whether those still have that value: if not, something was written outside.
class guarded_bytes {
public:
    explicit guarded_bytes(size_t size);
    void *data() const { return data_; }
    size_t size() const { return size_; }
    bool guards_intact() const;

private:
    struct release {
        void operator()(unsigned char *block) const;
    };
    size_t size_;
    std::unique_ptr<unsigned char, release> block_;
    unsigned char *data_;
};

// Copies of a buffer share its memory; clone() does not.
class buffer {
public:
    buffer(layout shape, size_t size); // size: bytes

    const layout &shape() const { return layout_; }
    data_type type() const { return layout_.type; }
    dim_t elements() const { return layout_.elements(); }
    void *data() const { return bytes_->data(); }
    size_t size() const { return bytes_->size(); }

    // One element; `number` counts the elements in row-major order.
    double at(dim_t number) const { return load(layout_.type, data(), layout_.offset_of(number)); }
    void set(dim_t number, double value) const { store(layout_.type, data(), layout_.offset_of(number), value); }

    // One row, which lies along the last dimension. store() says how values are rounded.
    dim_t rows() const { return product(leading_dims_); }
    void get_row(dim_t row, std::span<double> values) const;
    void set_row(dim_t row, std::span<const double> values) const;
    // A row of a tensor that is broadcast to the dimensions `dims`: some of its own dimensions have size 1. `row` is
    // the number of the row among those of a tensor with dimensions `dims`.
    void get_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<double> values) const;
    void set_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<const double> values) const;

    // The same memory as elements of another type of the same size.
    buffer read_as(data_type type) const {
        buffer same = *this;
        same.layout_.type = type;
        return same;
    }

    bool padding_is_zero() const; // the elements that blocks add beyond the dimensions
    bool guards_intact() const { return bytes_->guards_intact(); }

    void copy_from(const buffer &other) const; // copies the elements; types and layouts may differ
    void poison() const;                       // makes every floating-point element NaN, those of the padding too
    buffer clone() const;                      // has memory of its own

private:
    // The offset of a row of the tensor, broadcast to `dims`.
    dim_t base(dim_t row, const std::vector<dim_t> &dims) const;

    layout layout_;
    std::vector<dim_t> leading_dims_, columns_; // columns_: the share of each index of the last dimension
    std::shared_ptr<guarded_bytes> bytes_;
};

} // namespace benchdnn_lite
