// SPDX-License-Identifier: Apache-2.0
#include "quantizer.hpp"

#include <algorithm>

#include "../math/dynamic_scale.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

constexpr dim_t FLOAT = sizeof(float);

dim_t pitch_of(const plan &planned) { return row_packer::pitch_for(planned.float_columns * FLOAT); }
dim_t scales_in_tile(const problem &p, const plan &planned) {
    return std::max<dim_t>(planned.float_columns / columns_per_scale(p), 1);
}

} // namespace

quantizer::quantizer(const problem &p, const plan &planned, const quantize_kernels &kernels)
    : kernels_(kernels), scales_(p[DST_SCALE], p.row_ndims()), width_(columns_per_scale(p)), groups_(scales_per_row(p)),
      groups_at_once_(scales_in_tile(p, planned)), float_columns_(planned.float_columns), pitch_(pitch_of(planned)),
      batch_rows_(planned.batch_rows), largest_(largest_number(p[DST].data_type)), dst_size_(element_size(p[DST])) {}

dim_t quantizer::scratchpad_bytes(const problem &p, const plan &planned) {
    const dim_t scales = planned.batch_rows * scales_in_tile(p, planned);
    return planned.batch_rows * pitch_of(planned) + in_whole_lines(2 * scales * FLOAT);
}

void quantizer::clear_maxima(const batch &b, range groups) const {
    std::fill_n(maxima(b), b.rows * (groups.end - groups.begin), 0.0F);
}

// If there are several groups, the groups of one row are the rows of a call of the kernel. If there is one group, the
// rows of the batch are the rows of a single call.
void quantizer::find_maxima(const batch &b, range groups, range columns) const {
    const dim_t number = groups.end - groups.begin;
    if (number == 1) return kernels_.amax({floats(b).first, pitch_, b.rows, columns.end - columns.begin, maxima(b)});
    for (dim_t r = 0; r < b.rows; ++r)
        kernels_.amax({floats(b).row(r), width_ * FLOAT, number, width_, maxima(b) + r * number});
}

void quantizer::find_scales(const batch &b, range groups) const {
    const dim_t number = groups.end - groups.begin;
    float *const scales = maxima(b), *const inverse = factors(b);
    for (dim_t i = 0; i < b.rows * number; ++i) {
        const dynamic_scale found = find_scale(scales[i], largest_);
        scales[i] = found.scale;
        inverse[i] = found.factor;
    }
    scales_.scatter(scales, number * FLOAT, b.first, b.rows, groups.begin, number, b.scales);
}

void quantizer::store(const batch &b, range groups, range columns, const strip &dst) const {
    const dim_t number = groups.end - groups.begin;
    if (number == 1) return multiply(floats(b), dst, b.rows, columns.end - columns.begin, factors(b));
    for (dim_t r = 0; r < b.rows; ++r)
        for (dim_t g = 0; g < number; g += MAX_BATCH_ROWS) {
            const strip from = {floats(b).row(r) + g * width_ * FLOAT, width_ * FLOAT};
            const strip to = {dst.row(r) + g * width_ * dst_size_, width_ * dst_size_};
            multiply(from, to, std::min(MAX_BATCH_ROWS, number - g), width_, factors(b) + r * number + g);
        }
}

// The normalize kernel computes fma(x, rstd, bias). With -0 for the bias this is x * factor, with the right sign of
// zeros.
void quantizer::multiply(const strip &from, const strip &to, dim_t rows, dim_t count, const float *factors) const {
    static constexpr auto MINUS_ZEROS = [] {
        std::array<float, MAX_BATCH_ROWS> zeros;
        zeros.fill(-0.0F);
        return zeros;
    }();
    kernels_.multiply({.src = from.first,
                       .dst = to.first,
                       .src_row_stride = from.stride,
                       .dst_row_stride = to.stride,
                       .rows = rows,
                       .count = count,
                       .hi = MINUS_ZEROS.data(),
                       .rstd = factors,
                       .bias = MINUS_ZEROS.data(),
                       .rows_per_pass = 2});
}

} // namespace jitnorm::impl::layer_norm
