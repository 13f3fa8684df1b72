// SPDX-License-Identifier: Apache-2.0
#include "row_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "../tensor/tensor_axis.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// The distance from one index of dimension d to the next, in elements. It is the largest number for a dimension that is
// broadcast or has one index: such a dimension has no step in memory and goes outside all others.
dim_t step_of(const memory_desc &md, int d) {
    dim_t step = md.strides[d], tile = 1;
    for (int i = md.inner_nblks - 1; i >= 0; tile *= md.inner_blks[i--])
        if (md.inner_idxs[i] == d) step = std::min(step, tile);
    return md.dims[d] == 1 || step == 0 ? std::numeric_limits<dim_t>::max() : step;
}

} // namespace

row_order order_in_memory(const memory_desc &md, int row_ndims) {
    row_order order;
    std::iota(order.begin(), order.end(), 0);
    // Dimensions of equal steps keep their order. std::stable_sort would do the same but allocates.
    std::sort(order.begin(), order.begin() + row_ndims, [&](int a, int b) {
        const dim_t step_a = step_of(md, a), step_b = step_of(md, b);
        return step_a != step_b ? step_a > step_b : a < b;
    });
    return order;
}

memory_desc with_row_order(const memory_desc &md, int row_ndims, const row_order &order) {
    memory_desc ordered = md;
    std::array<int, MAX_NDIMS> place;
    std::iota(place.begin(), place.end(), 0);
    for (int i = 0; i < row_ndims; ++i) {
        const auto from = size_t(order[size_t(i)]);
        ordered.dims[i] = md.dims[from];
        ordered.padded_dims[i] = md.padded_dims[from];
        ordered.strides[i] = md.strides[from];
        place[from] = i;
    }
    for (int i = 0; i < md.inner_nblks; ++i) ordered.inner_idxs[i] = place[size_t(md.inner_idxs[i])];
    return ordered;
}

problem in_order_of_memory(const problem &p) {
    const int row_ndims = p.row_ndims();
    const row_order order = order_in_memory(leading_tensor(row_tensors_of(p)), row_ndims);
    problem ordered = p;
    ordered.for_each_descriptor([&](memory_desc &md) { md = with_row_order(md, row_ndims, order); });
    return ordered;
}

// ---- interleaved_blocks

dim_t interleaved_blocks::dimensions::total() const {
    dim_t product = 1;
    for (int i = 0; i < count; ++i) product *= size[size_t(i)];
    return product;
}

dim_t interleaved_blocks::dimensions::row_of(dim_t index) const {
    dim_t row = 0;
    for (auto i = size_t(count); i-- > 0; index /= size[i]) row += index % size[i] * rows[i];
    return row;
}

// Makes strands of as many as possible of the dimensions whose neighbouring indices share cache lines.
interleaved_blocks::interleaved_blocks(const memory_desc &md, int row_ndims, dim_t block_rows)
    : block_rows_(block_rows) {
    const row_order in_memory = order_in_memory(md, row_ndims);
    int sharing = 0;
    for (int i = row_ndims - 1; i >= 0; --i, ++sharing) {
        const int d = in_memory[size_t(i)];
        if (md.dims[d] == 1 || tensor_axis(md, d, d + 1).group_size() == 1) break;
    }
    for (; sharing > 0 && !exist(); --sharing) choose(md, row_ndims, in_memory, sharing);
}

void interleaved_blocks::choose(const memory_desc &md, int row_ndims, const row_order &in_memory,
                                int strand_dimensions) {
    const int *const strands_begin = in_memory.data() + row_ndims - strand_dimensions;
    const auto is_strand = [&](int d) {
        return std::find(strands_begin, strands_begin + strand_dimensions, d) != strands_begin + strand_dimensions;
    };
    const int last = *std::max_element(strands_begin, strands_begin + strand_dimensions);
    std::array<dim_t, MAX_NDIMS> rows = {}; // how much the row number grows from one index of a dimension to the next
    dim_t all = 1;
    for (int d = row_ndims - 1; d >= 0; all *= md.dims[d--]) rows[size_t(d)] = all;
    inner_ = rows[size_t(last)];
    if (inner_ % block_rows_ != 0) return;

    outer_.count = strand_.count = 0;
    const auto append = [&](dimensions &to, int d) {
        to.size[size_t(to.count)] = md.dims[d];
        to.rows[size_t(to.count++)] = rows[size_t(d)];
    };
    int place = 0;
    for (int d = 0; d < row_ndims; ++d) {
        if (is_strand(d)) continue;
        order_[size_t(place++)] = d;
        if (d < last) append(outer_, d);
    }
    for (const int *d = strands_begin; d != strands_begin + strand_dimensions; ++d) {
        order_[size_t(place++)] = *d;
        append(strand_, *d);
    }
    strands_ = strand_.total();
    const auto fastest = *(strands_begin + strand_dimensions - 1);
    const tensor_axis axis(md, fastest, fastest + 1);
    strands_of_unit_ = std::min(strands_, std::max<dim_t>(1, CACHE_LINE / std::max<dim_t>(axis.step(), 1)));
}

interleaved_blocks::unit interleaved_blocks::at(dim_t number) const {
    const dim_t blocks = inner_ / block_rows_;
    const dim_t within = number % blocks * block_rows_, strand = number / blocks % groups() * strands_of_unit_;
    const dim_t outer = number / blocks / groups();
    return {(outer * inner_ + within) * strands_ + strand, strands_, outer, strand,
            std::min(strands_of_unit_, strands_ - strand), within};
}

dim_t interleaved_blocks::first_row(const unit &u, dim_t strand) const {
    return outer_.row_of(u.outer) + strand_.row_of(u.strand + strand) + u.within;
}

} // namespace jitnorm::impl::layer_norm
