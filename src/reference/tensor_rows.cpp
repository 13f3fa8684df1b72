// SPDX-License-Identifier: Apache-2.0
#include "tensor_rows.hpp"

#include "../base/bytes.hpp"
#include "../math/convert.hpp"

namespace jitnorm::impl::layer_norm::reference {

template <size_t Size, typename Body>
void tensor_rows::for_each_element(dim_t row, dim_t begin, dim_t count, Body &&body) const {
    const dim_t in_row = begin_ + rows_.run_from(row, 1).first, step = columns_.step();
    dim_t done = 0;
    columns_.for_each_run(begin, count, [&](dim_t offset, dim_t length) {
        const dim_t first = in_row + offset;
        if (step == dim_t(Size)) { // a case of its own, so that the compiler can vectorize it
            for (dim_t i = 0; i < length; ++i) body(done + i, first + i * dim_t(Size));
        } else {
            for (dim_t i = 0; i < length; ++i) body(done + i, first + i * step);
        }
        done += length;
    });
}

template <typename T>
void tensor_rows::read(const void *data, dim_t row, dim_t begin, dim_t count, T *out) const {
    visit_data_type(type_, [&]<typename Stored>(stored_as<Stored>) {
        for_each_element<sizeof(Stored)>(row, begin, count, [&](dim_t i, dim_t offset) {
            out[i] = widen<T>(load<Stored>(static_cast<const char *>(data) + offset));
        });
    });
}

template <typename T>
void tensor_rows::write(void *data, dim_t row, dim_t begin, dim_t count, const T *in) const {
    visit_data_type(type_, [&]<typename Stored>(stored_as<Stored>) {
        for_each_element<sizeof(Stored)>(row, begin, count, [&](dim_t i, dim_t offset) {
            store(narrow<Stored>(in[i]), static_cast<char *>(data) + offset);
        });
    });
}

template void tensor_rows::read(const void *, dim_t, dim_t, dim_t, float *) const;
template void tensor_rows::read(const void *, dim_t, dim_t, dim_t, double *) const;
template void tensor_rows::write(void *, dim_t, dim_t, dim_t, const float *) const;
template void tensor_rows::write(void *, dim_t, dim_t, dim_t, const double *) const;

} // namespace jitnorm::impl::layer_norm::reference
