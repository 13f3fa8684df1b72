// SPDX-License-Identifier: Apache-2.0
// affine: applies the elements of scale and shift (docs/arithmetic.md, "Normalization"), and rounds normalized values.
#pragma once

#include <cmath>

#include "../math/constants.hpp"
#include "../math/convert.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm::reference {

template <typename T> // the compute type
class affine {
public:
    explicit affine(const problem &p)
        : p_(p), vector_(vector_of(p.row_length(), p.scale_shift_type)), normalized_type_(p.normalized_type()),
          scaled_type_(p.scaled_type()) {}

    // The roundings of normalized values before and after apply(), in forward, and before they become gradients. Calls,
    // as tensor_rows::read().
    [[gnu::noinline]] void round_normalized_values(dim_t count, T *xhat) const {
        if (normalized_type_ == p_.compute_type()) return;
        visit_data_type(normalized_type_, [&]<typename Stored>(stored_as<Stored>) {
            for (dim_t i = 0; i < count; ++i) xhat[i] = round_normalized<Stored>(xhat[i]);
        });
    }
    void round_scaled_values(dim_t count, T *y) const {
        if (scaled_type_ != p_.compute_type()) round_to(scaled_type_, count, y);
    }

    // Scales and shifts the elements begin .. begin+count-1 of a row, at most BLOCK; in backward turns diff_dst into g.
    void apply(const arguments &args, dim_t begin, dim_t count, T *y) const {
        T scale[BLOCK], shift[BLOCK];
        const bool scales = p_.reads(SCALE), shifts = p_.reads(SHIFT);
        if (scales) vector_.read(args[SCALE], 0, begin, count, scale);
        if (scales && p_.has(jitnorm_scale_plus_one))
            for (dim_t i = 0; i < count; ++i) scale[i] += T(1);
        if (shifts) vector_.read(args[SHIFT], 0, begin, count, shift);
        if (scales && shifts)
            for (dim_t i = 0; i < count; ++i) y[i] = std::fma(y[i], scale[i], shift[i]);
        else if (scales)
            for (dim_t i = 0; i < count; ++i) y[i] *= scale[i];
        else if (shifts)
            for (dim_t i = 0; i < count; ++i) y[i] += shift[i];
    }

private:
    const problem &p_;
    tensor_rows vector_;
    jitnorm_data_type_t normalized_type_, scaled_type_;
};

} // namespace jitnorm::impl::layer_norm::reference
