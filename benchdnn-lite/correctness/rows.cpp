// SPDX-License-Identifier: Apache-2.0
// Computes sums of src and a residual.
#include "rows.hpp"

#include <cmath>

#include "oracle.hpp"

namespace benchdnn_lite {

summed_rows::summed_rows(const execution &e, std::optional<buffer> residual)
    : problem_(e.prb()), residual_(std::move(residual)) {
    if (residual_ && problem_.reads_gate()) gate_ = e.data(JITNORM_ARG_SRC_2);
    if (!problem_.reads_bias()) return;
    bias_.resize(size_t(problem_.row_length()));
    e.data(JITNORM_ARG_BIAS).get_row(0, bias_);
}

double summed_rows::add(dim_t row, std::span<double> src) const {
    if (!residual_) return 0;
    const data_type computed = problem_.computes_in_f64() ? jitnorm_f64 : jitnorm_f32;
    const double unit = problem_.computes_in_f64() ? F64_ERROR : F32_ERROR;
    std::vector<double> added(src.size());
    if (gate_) {
        gate_->get_broadcast_row(row, problem_.size.dims, added);
        for (size_t c = 0; c < src.size(); ++c) src[c] = round_to(computed, src[c] * added[c]);
    }
    residual_->get_row(row, added);
    double loss = 0;
    for (size_t c = 0; c < src.size(); ++c) {
        if (problem_.attr.residual.silu) {
            src[c] = double(silu_product(src[c], added[c], unit));
            loss = std::max(loss, double(silu_error(src[c], unit)));
        } else {
            src[c] = round_to(computed, src[c] + added[c]);
        }
        if (!bias_.empty()) src[c] = round_to(computed, src[c] + bias_[c]);
    }
    return loss;
}

void summed_rows::round(std::span<double> sum) const {
    if (!residual_ || !problem_.attr.residual.rounded) return;
    const data_type type = problem_.type_of(*problem_.attr.residual.sum);
    for (double &x : sum) x = round_to(type, x);
}

} // namespace benchdnn_lite
