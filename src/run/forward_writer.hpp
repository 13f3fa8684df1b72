// SPDX-License-Identifier: Apache-2.0
// forward_writer: normalizes the rows of a batch whose statistics are known, with the operands of post-ops and, where
// the library finds the scales of dst, with these.
#pragma once

#include "forward.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
template <typename Rows>
class forward<T>::writer : public basic_worker<Rows> {
    using base = basic_worker<Rows>;

public:
    writer(const forward &direction, const Rows &rows, const arguments &given, const schedule &current, int number)
        : base(rows, direction.plan_, given, current, number), f_(direction), sums_(direction.addition_, given, number),
          scale_(static_cast<const std::byte *>(given[SCALE])), shift_(static_cast<const std::byte *>(given[SHIFT])),
          src_scale_(given[SRC_SCALE] ? T(load<float>(given[SRC_SCALE])) : T(1)),
          inverse_dst_scale_(f_.problem_.attr.dst_scale ? T(1) / T(load<float>(given[DST_SCALE])) : T(1)) {}

protected:
    using base::args, base::at, base::get, base::now, base::planned;

    template <typename Body> // void(range columns)
    void for_each_panel(range columns, Body &&body) const {
        for_each_piece(columns, planned.panel_columns, body);
    }

    [[gnu::always_inline]] void write_columns(const batch &b, range columns) {
        if (f_.quantizer_) return quantize(b);
        for_each_panel(columns, [&](range some) {
            const panel here = at.open(some);
            normalize(here, sums_.rows_to_write(here, some, b.rows), here.result, b, some);
            at.close();
        });
    }

    // Normalizes these columns of the rows `src` and stores them to `dst` and to the pre-quantization output, if there
    // is one.
    [[gnu::always_inline]] void normalize(const panel &here, const strip &src, const strip &dst, const batch &b,
                                          range columns) {
        jit::normalize_arguments<T> call = normalize_arguments_for(here, src, dst, b, columns);
        const auto &kernel = *(now.non_temporal ? f_.kernels_->non_temporal : f_.kernels_->normalize);
        with_operands(call, b, columns, [&] { kernel(call); });
    }

    [[gnu::always_inline]] jit::normalize_arguments<T> normalize_arguments_for(const panel &here, const strip &src,
                                                                               const strip &dst, const batch &b,
                                                                               range columns) const {
        return {.src = src.first,
                .dst = dst.first,
                .src_row_stride = src.stride,
                .dst_row_stride = dst.stride,
                .rows = b.rows,
                .count = columns.end - columns.begin,
                .hi = b.hi,
                .rstd = b.rstd,
                .bias = b.bias,
                .scale = f_.own_scale_ ? here.scale.first : behind(scale_, columns.begin * f_.scale_size_),
                .shift = f_.own_shift_ ? here.shift.first : behind(shift_, columns.begin * f_.scale_size_),
                .src_scale = src_scale_,
                .inverse_dst_scale = inverse_dst_scale_,
                .prefetch = b.rows * src.stride,
                .parameters = f_.kernels_->post_op_parameters.data(),
                .operands = nullptr,
                .pre_quantization = here.pre_quantization.first,
                .pre_quantization_row_stride = here.pre_quantization.stride,
                .scale_row_stride = here.scale.stride,
                .shift_row_stride = here.shift.stride};
    }

    // Calls run() when the operands of post-ops have been put into the arguments.
    template <typename Run>
    [[gnu::always_inline]] void with_operands(jit::normalize_arguments<T> &call, const batch &b, range columns,
                                              Run &&run) {
        if (f_.operands_.size() == 0)
            run();
        else
            locate_operands(call, {b.first, b.rows, columns.begin, call.count}, run);
    }

    const forward &f_;
    residual_sums<T> sums_;

private:
    template <typename Body>
    static void for_each_piece(range columns, dim_t step, Body &&body) {
        for (dim_t begin = columns.begin; begin < columns.end; begin += step)
            body(range{begin, std::min(begin + step, columns.end)});
    }

    // Is a function of its own, because the table takes much of the stack.
    template <typename Run>
    [[gnu::noinline]] void locate_operands(jit::normalize_arguments<T> &call, const window &where, Run &run) {
        typename post_op_operands<T>::table operands;
        f_.operands_.locate(args, where, get(scratch::operands), operands);
        call.operands = operands.pointers;
        run();
    }

    // ---- normalization where scales are found

    [[gnu::noinline]] void quantize(const batch &b) {
        const quantizer &q = *f_.quantizer_;
        q.for_each_panel([&](range groups) {
            if (q.goes_in_pieces()) return quantize_in_pieces(b, groups);
            const range columns = q.columns_of(groups);
            const panel here = at.open(columns);
            const strip src = sums_.rows_to_write(here, columns, b.rows);
            q.for_each_unit(groups, b.rows, [&](const quantizer::unit &u) {
                jit::normalize_arguments<T> call = normalize_arguments_for(here, src, here.result, b, columns);
                q.restrict_to(u, groups, call);
                quantize_unit(call, u, b);
            });
            at.close();
        });
    }

    void quantize_unit(jit::normalize_arguments<T> &call, const quantizer::unit &u, const batch &b) {
        float scales[MAX_BATCH_ROWS];
        call.maxima = scales;
        call.values = get(scratch::values);
        with_operands(call, b, f_.quantizer_->columns_of(u.groups), [&] { (*f_.kernels_->normalize)(call); });
        f_.quantizer_->store_scales(u, b.first, scales, args[DST_SCALE]);
    }

    void quantize_in_pieces(const batch &b, range group) {
        float magnitudes[MAX_BATCH_ROWS] = {}, factors[MAX_BATCH_ROWS];
        const range columns = f_.quantizer_->columns_of(group);
        quantizer::for_each_piece(columns, planned.value_columns, [&](range some) {
            const panel here = at.open(some);
            const strip src = sums_.rows_to_reduce(here, some, b.rows);
            jit::normalize_arguments<T> call = normalize_arguments_for(here, src, here.result, b, some);
            call.maxima = magnitudes;
            find_values(call, b, some);
        });
        const quantizer::unit all = {{0, b.rows}, group};
        f_.quantizer_->find_scales(all, magnitudes, factors);
        f_.quantizer_->store_scales(all, b.first, magnitudes, args[DST_SCALE]);
        quantizer::for_each_piece(columns, planned.value_columns, [&](range some) {
            const panel here = at.open(some);
            const strip src = sums_.rows_to_write(here, some, b.rows);
            jit::normalize_arguments<T> call = normalize_arguments_for(here, src, here.result, b, some);
            call.maxima = magnitudes; // from which no scale follows any more
            find_values(call, b, some);
            multiply(call, here.result, factors);
            at.close();
        });
    }

    // Stores values to their tile, and the pre-quantization output, if there is one; finds the largest magnitudes.
    void find_values(jit::normalize_arguments<T> &call, const batch &b, range columns) {
        call.dst = get(scratch::values);
        call.dst_row_stride = call.count * dim_t(sizeof(float));
        with_operands(call, b, columns, [&] { (*f_.kernels_->normalize)(call); });
    }

    // Stores the values to dst that are where `call` has stored them. The kernel computes fma(x, rstd, bias). With -0
    // for the bias this is x * factor, with the right sign of zeros.
    void multiply(const jit::normalize_arguments<T> &call, const strip &dst, const float *factors) const {
        static constexpr auto MINUS_ZEROS = [] {
            std::array<float, MAX_BATCH_ROWS> zeros;
            zeros.fill(-0.0F);
            return zeros;
        }();
        (*f_.kernels_->multiply)({.src = call.dst,
                                  .dst = dst.first,
                                  .src_row_stride = call.dst_row_stride,
                                  .dst_row_stride = dst.stride,
                                  .rows = call.rows,
                                  .count = call.count,
                                  .hi = MINUS_ZEROS.data(),
                                  .rstd = factors,
                                  .bias = MINUS_ZEROS.data()});
    }

    const std::byte *scale_, *shift_; // null where the problem has none
    T src_scale_, inverse_dst_scale_;
};

} // namespace jitnorm::impl::layer_norm
