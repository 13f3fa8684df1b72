// SPDX-License-Identifier: Apache-2.0
// A tensor's elements in guarded memory.
#include "buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "api.hpp"

namespace benchdnn_lite {

namespace {

template <typename T>
T query(const library &from, const_jitnorm_memory_desc_t desc, jitnorm_query_t what) {
    T result{};
    from.memory_desc_query(desc, what, &result);
    return result;
}

std::vector<dim_t> query_dims(const library &from, const_jitnorm_memory_desc_t desc, jitnorm_query_t what, int count) {
    if (count == 0) return {};
    const auto *dims = query<const dim_t *>(from, desc, what);
    return {dims, dims + count};
}

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

layout layout_of(const library &from, const_jitnorm_memory_desc_t desc) {
    layout l;
    const int ndims = query<int>(from, desc, jitnorm_query_ndims_s32);
    if (ndims == 0) return l;
    l.type = query<data_type>(from, desc, jitnorm_query_data_type);
    l.dims = query_dims(from, desc, jitnorm_query_dims, ndims);
    l.padded_dims = query_dims(from, desc, jitnorm_query_padded_dims, ndims);
    l.strides = query_dims(from, desc, jitnorm_query_strides, ndims);
    l.offset0 = query<int64_t>(from, desc, jitnorm_query_submemory_offset_s64);
    const int nblocks = query<int>(from, desc, jitnorm_query_inner_nblks_s32);
    const std::vector<dim_t> sizes = query_dims(from, desc, jitnorm_query_inner_blks, nblocks);
    const std::vector<dim_t> indices = query_dims(from, desc, jitnorm_query_inner_idxs, nblocks);
    for (size_t b = 0; b < size_t(nblocks); ++b) l.blocks.push_back({size_t(indices[b]), sizes[b]});
    return l;
}

dim_t layout::elements() const { return dims.empty() ? 0 : product(dims); }
dim_t layout::padded_elements() const { return dims.empty() ? 0 : product(padded_dims); }

dim_t layout::share(size_t d, dim_t i) const {
    dim_t inner = 0, tile = 1;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        if (block->dim == d) {
            inner += i % block->size * tile;
            i /= block->size;
        }
        tile *= block->size;
    }
    return inner + i * strides[d];
}

dim_t layout::offset_of(dim_t number, const std::vector<dim_t> &over) const {
    dim_t offset = offset0;
    const std::vector<dim_t> position = position_of(number, over);
    for (size_t d = 0; d < over.size(); ++d) offset += share(d, position[d]);
    return offset;
}

std::vector<dim_t> position_of(dim_t number, const std::vector<dim_t> &dims) {
    std::vector<dim_t> position(dims.size());
    for (size_t d = dims.size(); d-- > 0;) {
        position[d] = number % dims[d];
        number /= dims[d];
    }
    return position;
}

std::vector<double> broadcast(const std::vector<double> &values, std::vector<dim_t> own, const std::vector<dim_t> &to) {
    own.insert(own.begin(), to.size() - std::min(to.size(), own.size()), 1);
    std::vector<double> result(size_t(product(to)));
    for (size_t i = 0; i < result.size(); ++i) {
        const std::vector<dim_t> position = position_of(dim_t(i), to);
        dim_t at = 0;
        for (size_t d = 0; d < to.size(); ++d) at = at * own[d] + (own[d] == 1 ? 0 : position[d]);
        result[i] = values[size_t(at)];
    }
    return result;
}

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

dim_t buffer::base(dim_t row, const std::vector<dim_t> &dims) const {
    const std::vector<dim_t> position = position_of(row, {dims.begin(), dims.end() - 1});
    dim_t first = layout_.offset0;
    for (size_t d = 0; d < position.size(); ++d)
        if (layout_.dims[d] != 1) first += layout_.share(d, position[d]);
    return first;
}

void buffer::get_row(dim_t row, std::span<double> values) const { get_broadcast_row(row, layout_.dims, values); }

void buffer::set_row(dim_t row, std::span<const double> values) const { set_broadcast_row(row, layout_.dims, values); }

void buffer::get_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<double> values) const {
    const dim_t first = base(row, dims);
    for (size_t c = 0; c < values.size(); ++c)
        values[c] = load(layout_.type, data(), first + columns_[columns_.size() == 1 ? 0 : c]);
}

void buffer::set_broadcast_row(dim_t row, const std::vector<dim_t> &dims, std::span<const double> values) const {
    const dim_t first = base(row, dims);
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
