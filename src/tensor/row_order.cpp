// SPDX-License-Identifier: Apache-2.0
#include "row_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tensor_axis.hpp"

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

// ---- interleaved row blocks

// With fewer strands in a cache line, gathering rows one by one takes longer than reading lines several times.
constexpr dim_t LEAST_STRANDS = 4;

interleaved_blocks::interleaved_blocks(const memory_desc &md, int row_ndims, dim_t block_rows)
    : block_rows_(block_rows), order_(order_in_memory(md, row_ndims)) {
    const int fastest = order_[size_t(row_ndims - 1)];
    const tensor_axis axis(md, fastest, fastest + 1);
    for (int d = 0; d < fastest; ++d) outer_ *= md.dims[d];
    for (int d = fastest + 1; d < row_ndims; ++d) inner_ *= md.dims[d];
    if (axis.step() == 0 || axis.step() > CACHE_LINE / LEAST_STRANDS || inner_ % block_rows_ != 0) return;

    size_t place = 0;
    for (int d = 0; d < row_ndims; ++d)
        if (d != fastest) order_[place++] = d;
    order_[place] = fastest;
    strands_ = md.dims[fastest];
    strands_of_unit_ = std::min(strands_, CACHE_LINE / axis.step());
}

interleaved_blocks::unit interleaved_blocks::at(dim_t number) const {
    const dim_t blocks = inner_ / block_rows_;
    const dim_t within = number % blocks * block_rows_, strand = number / blocks % groups() * strands_of_unit_;
    const dim_t outer = number / blocks / groups();
    return {(outer * inner_ + within) * strands_ + strand, (outer * strands_ + strand) * inner_ + within,
            std::min(strands_of_unit_, strands_ - strand)};
}

} // namespace jitnorm::impl::layer_norm
