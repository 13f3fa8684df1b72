// SPDX-License-Identifier: Apache-2.0
// A tensor's elements in guarded memory.
#include "buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace benchdnn_lite {

namespace {

constexpr size_t GUARD = 64; // bytes on each side; a multiple of the alignment
constexpr unsigned char CANARY = 0xa5;
constexpr unsigned char POISON = 0xff; // NaN in every floating-point type

bool all_canaries(const unsigned char *begin, size_t count) {
    return std::all_of(begin, begin + count, [](unsigned char byte) { return byte == CANARY; });
}

bool is_padding(const std::vector<dim_t> &position, const std::vector<dim_t> &dims) {
    for (size_t d = 0; d < dims.size(); ++d)
        if (position[d] >= dims[d]) return true;
    return false;
}

} // namespace

void guarded_bytes::release::operator()(unsigned char *block) const { std::free(block); }

guarded_bytes::guarded_bytes(size_t size) : size_(size) {
    const size_t whole = (size + 2 * GUARD + 63) / 64 * 64;
    block_.reset(static_cast<unsigned char *>(std::aligned_alloc(64, whole)));
    if (!block_) throw std::bad_alloc();
    data_ = block_.get() + GUARD;
    std::memset(block_.get(), CANARY, GUARD);
    std::memset(data_, 0, size);
    std::memset(data_ + size, CANARY, GUARD);
}

bool guarded_bytes::guards_intact() const {
    return all_canaries(block_.get(), GUARD) && all_canaries(data_ + size_, GUARD);
}

buffer::buffer(layout shape, size_t size) : layout_(std::move(shape)), bytes_(std::make_shared<guarded_bytes>(size)) {
    if (layout_.dims.empty()) return;
    leading_dims_.assign(layout_.dims.begin(), layout_.dims.end() - 1);
    columns_.resize(size_t(layout_.dims.back()));
    for (size_t c = 0; c < columns_.size(); ++c) columns_[c] = layout_.share(leading_dims_.size(), dim_t(c));
}

dim_t buffer::rows() const {
    dim_t rows = 1;
    for (const dim_t dim : leading_dims_) rows *= dim;
    return rows;
}

dim_t buffer::base(dim_t row) const { return layout_.offset_of(row, leading_dims_); }

void buffer::get_row(dim_t row, std::span<double> values) const {
    const dim_t first = base(row);
    for (size_t c = 0; c < values.size(); ++c) values[c] = load(layout_.type, data(), first + columns_[c]);
}

void buffer::set_row(dim_t row, std::span<const double> values) const {
    const dim_t first = base(row);
    for (size_t c = 0; c < values.size(); ++c) store(layout_.type, data(), first + columns_[c], values[c]);
}

dim_t buffer::broadcast_base(dim_t row, const std::vector<dim_t> &dims) const {
    const std::vector<dim_t> position = position_of(row, {dims.begin(), dims.end() - 1});
    dim_t first = layout_.offset0;
    for (size_t d = 0; d < position.size(); ++d)
        if (layout_.dims[d] != 1) first += layout_.share(d, position[d]);
    return first;
}

void buffer::get_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<double> values) const {
    const dim_t first = broadcast_base(row, dims);
    for (size_t c = 0; c < values.size(); ++c)
        values[c] = load(layout_.type, data(), first + columns_[columns_.size() == 1 ? 0 : c]);
}

void buffer::set_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<const double> values) const {
    const dim_t first = broadcast_base(row, dims);
    for (size_t c = 0; c < columns_.size(); ++c) store(layout_.type, data(), first + columns_[c], values[c]);
}

void buffer::copy_from(const buffer &other) const {
    if (layout_ == other.layout_ && size() == other.size()) {
        std::memcpy(data(), other.data(), size());
        return;
    }
    std::vector<double> row(columns_.size());
    for (dim_t r = 0; r < rows(); ++r) {
        other.get_row(r, row);
        set_row(r, row);
    }
}

bool buffer::padding_is_zero() const {
    if (layout_.padded_dims == layout_.dims) return true;
    for (dim_t number = 0; number < layout_.padded_elements(); ++number)
        if (is_padding(position_of(number, layout_.padded_dims), layout_.dims) &&
            load(layout_.type, data(), layout_.offset_of(number, layout_.padded_dims)) != 0)
            return false;
    return true;
}

void buffer::poison() const { std::memset(data(), POISON, size()); }

buffer buffer::clone() const {
    buffer copy(layout_, size());
    std::memcpy(copy.data(), data(), size());
    return copy;
}

} // namespace benchdnn_lite
