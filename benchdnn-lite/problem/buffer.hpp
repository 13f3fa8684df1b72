// SPDX-License-Identifier: Apache-2.0
// buffer: a tensor's elements in guarded memory, read and written as doubles whatever its type and layout.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "layout.hpp"

namespace benchdnn_lite {

// Bytes with canaries on both sides, aligned to 64, zero at first.
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

// Copies share the memory.
class buffer {
public:
    buffer(layout shape, size_t size);

    const layout &shape() const { return layout_; }
    data_type type() const { return layout_.type; }
    dim_t elements() const { return layout_.elements(); }
    void *data() const { return bytes_->data(); }
    size_t size() const { return bytes_->size(); }

    // One element, by its row-major number.
    double at(dim_t number) const { return load(layout_.type, data(), layout_.offset_of(number)); }
    void set(dim_t number, double value) const { store(layout_.type, data(), layout_.offset_of(number), value); }

    // One row along the last dimension.
    dim_t rows() const;
    void get_row(dim_t row, std::span<double> values) const;
    void set_row(dim_t row, std::span<const double> values) const;
    // The row of a tensor with dimensions of size 1 that belongs to `row` of one with dimensions `dims`.
    void get_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<double> values) const;
    void set_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<const double> values) const;

    bool padding_is_zero() const; // what blocks add beyond the dimensions
    bool guards_intact() const { return bytes_->guards_intact(); }

    void copy_from(const buffer &other) const; // the same elements, whatever both layouts are
    void poison() const;                       // NaN in every floating-point element, padding included
    buffer clone() const;                      // with memory of its own

private:
    dim_t base(dim_t row) const;
    dim_t broadcast_base(dim_t row, const std::vector<dim_t> &dims) const;

    layout layout_;
    std::vector<dim_t> leading_dims_, columns_; // columns_: what each index of the last dimension adds to the offset
    std::shared_ptr<guarded_bytes> bytes_;
};

} // namespace benchdnn_lite
