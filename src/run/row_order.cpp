// SPDX-License-Identifier: Apache-2.0
#include "row_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

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

} // namespace jitnorm::impl::layer_norm
