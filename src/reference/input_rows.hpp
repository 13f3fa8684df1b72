// SPDX-License-Identifier: Apache-2.0
// input_rows: the rows that forward normalizes, which are those of src or of its sum with the residual
// (docs/arithmetic.md, "Residual addition").
#pragma once

#include "../math/constants.hpp"
#include "../norm/arguments.hpp"
#include "../norm/problem.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm::reference {

template <typename T> // the compute type
class input_rows {
public:
    explicit input_rows(const problem &p)
        : adds_(p.reads(RESIDUAL)), has_bias_(p.reads(BIAS)), has_sum_(p.writes(SUM)),
          rounds_(p.attr.normalizes_rounded_sum), row_type_(p.row_type()), src_(p[SRC], p.row_ndims()),
          bias_(vector_of(p.row_length(), p.attr.bias_type)) {
        if (adds_) residual_ = tensor_rows(p[RESIDUAL], p.row_ndims());
        if (has_sum_) sum_ = tensor_rows(p[SUM], p.row_ndims());
    }

    // Reads the elements begin .. begin+count-1 of a row, at most BLOCK, as they are normalized.
    void read(const arguments &args, dim_t row, dim_t begin, dim_t count, T *x) const {
        read_sum(args, row, begin, count, x);
        if (adds_ && rounds_) round(x, count);
    }

    // The same; it also writes the sum with the residual, if that is an output.
    void read_and_write_sum(const arguments &args, dim_t row, dim_t begin, dim_t count, T *x) const {
        read_sum(args, row, begin, count, x);
        if (has_sum_) sum_.write(args[SUM], row, begin, count, x);
        if (adds_ && rounds_) round(x, count);
    }

private:
    void read_sum(const arguments &args, dim_t row, dim_t begin, dim_t count, T *x) const {
        src_.read(args[SRC], row, begin, count, x);
        if (!adds_) return;
        T other[BLOCK];
        residual_.read(args[RESIDUAL], row, begin, count, other);
        for (dim_t i = 0; i < count; ++i) x[i] += other[i];
        if (!has_bias_) return;
        bias_.read(args[BIAS], 0, begin, count, other);
        for (dim_t i = 0; i < count; ++i) x[i] += other[i];
    }

    void round(T *x, dim_t count) const {
        visit_data_type(row_type_, [&]<typename Stored>(stored_as<Stored>) {
            for (dim_t i = 0; i < count; ++i) x[i] = widen<T>(narrow<Stored>(x[i]));
        });
    }

    bool adds_, has_bias_, has_sum_, rounds_;
    jitnorm_data_type_t row_type_;
    tensor_rows src_, residual_, bias_, sum_;
};

} // namespace jitnorm::impl::layer_norm::reference
