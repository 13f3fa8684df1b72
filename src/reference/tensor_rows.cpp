// SPDX-License-Identifier: Apache-2.0
#include "tensor_rows.hpp"

#include <algorithm>
#include <cstring>

#include "../math/convert.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

dim_t last_block(const memory_desc &md) {
    dim_t block = 1;
    for (int i = 0; i < md.inner_nblks; ++i)
        if (md.inner_idxs[i] == md.ndims - 1) block *= md.inner_blks[i];
    return block;
}

} // namespace

tensor_rows::tensor_rows(const memory_desc &md, const memory_desc &shape, int row_ndims)
    : md_(md), row_ndims_(row_ndims) {
    std::copy(shape.dims, shape.dims + shape.ndims, dims_);
    const int last = md.ndims - 1;
    width_ = std::max<dim_t>(dims_[last], 1);
    if (md.dims[last] == 1 && dims_[last] != 1) return; // broadcast along the last dimension: stride_ stays 0
    stride_ = md.strides[last];
    const dim_t block = last_block(md);
    if (block == 1) return;
    jitnorm_dims_t position = {};
    for (; position[last] < block; ++position[last]) inner_.push_back(offset(md, position) - md.offset0);
}

dim_t tensor_rows::offset_along(int begin, int end, dim_t index) const {
    jitnorm_dims_t position = {};
    for (int d = end - 1; d >= begin; --d) {
        position[d] = md_.dims[d] == 1 ? 0 : index % dims_[d];
        index /= dims_[d];
    }
    return offset(md_, position) - md_.offset0;
}

// Cuts the elements into pieces along the last dimension.
template <typename Body>
void tensor_rows::for_each_element(dim_t begin, dim_t count, Body &&body) const {
    for (dim_t done = 0, piece; done < count; done += piece) {
        const dim_t at = begin + done, column = at % width_;
        piece = count - done < width_ - column ? count - done : width_ - column;
        const dim_t start = at < width_ ? 0 : offset_along(row_ndims_, md_.ndims - 1, at / width_);
        for_each_in_line(column, piece, [&](dim_t i, dim_t offset) { body(done + i, start + offset); });
    }
}

template <typename Body>
void tensor_rows::for_each_in_line(dim_t begin, dim_t count, Body &&body) const {
    if (stride_ == 1 && inner_.empty()) { // a case of its own, so that the compiler can vectorize it
        for (dim_t i = 0; i < count; ++i) body(i, begin + i);
    } else if (inner_.empty()) {
        for (dim_t i = 0; i < count; ++i) body(i, (begin + i) * stride_);
    } else {
        const dim_t block = dim_t(inner_.size());
        for (dim_t i = 0; i < count; ++i) body(i, (begin + i) / block * stride_ + inner_[size_t((begin + i) % block)]);
    }
}

template <typename T>
void tensor_rows::read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const {
    visit_data_type(md_.data_type, [&]<typename Stored>(stored_as<Stored>) {
        const char *first = static_cast<const char *>(data) + row_offset(row) * dim_t(sizeof(Stored));
        for_each_element(begin, count, [&](dim_t i, dim_t offset) {
            Stored value;
            std::memcpy(&value, first + offset * dim_t(sizeof(Stored)), sizeof(Stored));
            out[i] = widen<T>(value);
        });
    });
}

template <typename T>
void tensor_rows::write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const {
    visit_data_type(md_.data_type, [&]<typename Stored>(stored_as<Stored>) {
        char *first = static_cast<char *>(data) + row_offset(row) * dim_t(sizeof(Stored));
        for_each_element(begin, count, [&](dim_t i, dim_t offset) {
            const Stored value = narrow<Stored>(in[i]);
            std::memcpy(first + offset * dim_t(sizeof(Stored)), &value, sizeof(Stored));
        });
    });
}

template void tensor_rows::read(const void *, dim_t, dim_t, dim_t, float *) const;
template void tensor_rows::read(const void *, dim_t, dim_t, dim_t, double *) const;
template void tensor_rows::write(void *, dim_t, dim_t, dim_t, const float *) const;
template void tensor_rows::write(void *, dim_t, dim_t, dim_t, const double *) const;

} // namespace jitnorm::impl::layer_norm::reference
