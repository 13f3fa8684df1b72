// SPDX-License-Identifier: Apache-2.0
#include "rows_in_place.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

static_assert(MAX_STEPPED_TENSORS < row_space::MAX_TENSORS);

row_space space_of(const row_tensors &tensors) {
    std::array<const memory_desc *, MAX_STEPPED_TENSORS + 1> mds;
    const memory_desc &src = *tensors.data[0].md;
    const memory_desc dense = make_dense({src.dims, size_t(src.ndims)}, src.data_type);
    size_t count = 0;
    for (; count < size_t(tensors.count); ++count)
        mds[count] = tensors.data[count].md ? tensors.data[count].md : &dense;
    if (tensors.statistics != nullptr) mds[count++] = tensors.statistics;
    return {std::span(mds.data(), count), tensors.row_ndims};
}

} // namespace

bool rows_in_place::take(const row_tensors &tensors) {
    for (int i = 0; i < tensors.count; ++i)
        if (const memory_desc *md = tensors.data[size_t(i)].md;
            md != nullptr && !has_dense_rows(*md, tensors.row_ndims))
            return false;
    return tensors.statistics == nullptr || tensors.statistics->inner_nblks == 0;
}

rows_in_place::rows_in_place(const row_tensors &tensors, const plan &)
    : space_(space_of(tensors)), count_(size_t(tensors.count)) {
    for (size_t i = 0; i < count_; ++i) {
        const dim_t size = tensors.data[i].size;
        data_[fields_[i] = tensors.data[i].field] = {tensors.data[i].place, size, space_.stride(int(i)) * size};
    }
    if (tensors.statistics == nullptr) return;
    statistics_size_ = element_size(*tensors.statistics);
    if (space_.run_length() > 1) statistics_stride_ = space_.stride(int(count_));
}

} // namespace jitnorm::impl::layer_norm
