// SPDX-License-Identifier: Apache-2.0
// Computes where each element of a tensor lies.
#include "layout.hpp"

#include "api.hpp"

namespace benchdnn_lite {

namespace {

template <typename T>
T query(const library &from, const_jitnorm_memory_desc_t desc, jitnorm_query_t what) {
    T result{};
    check_status(from.memory_desc_query(desc, what, &result), "jitnorm_memory_desc_query");
    return result;
}

std::vector<dim_t> query_dims(const library &from, const_jitnorm_memory_desc_t desc, jitnorm_query_t what, int count) {
    if (count == 0) return {};
    const auto *dims = query<const dim_t *>(from, desc, what);
    return {dims, dims + count};
}

dim_t product(const std::vector<dim_t> &dims) {
    dim_t result = 1;
    for (const dim_t dim : dims) result *= dim;
    return result;
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

} // namespace benchdnn_lite
