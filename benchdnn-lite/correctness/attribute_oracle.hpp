// SPDX-License-Identifier: Apache-2.0
// attribute_oracle: expected values and tolerances after scales and post-operations.
#pragma once

#include "../problem/attributes.hpp"
#include "oracle.hpp"

namespace benchdnn_lite {

real eltwise_value(const eltwise_post_op &op, real x);
real binary_value(jitnorm_alg_kind_t algorithm, real x, real y);

// The expectation after a multiplication by `factor`. Here and below, `unit` is F32_ERROR or F64_ERROR.
expectation scaled(const expectation &e, real factor, double unit);
// The scale by which values are divided so that their largest magnitude becomes `largest`.
expectation dynamic_scale_of(std::span<const expectation> values, double largest, double unit);
// The value divided by a scale that was found, not yet rounded to the type of dst.
expectation quantized(const expectation &e, double scale, double unit);
expectation after_sum(const expectation &e, const sum_post_op &op, real old_dst, double unit);
expectation after_eltwise(const expectation &e, const eltwise_post_op &op, double unit);
expectation after_binary(const expectation &e, const binary_post_op &op, real source, double unit);

} // namespace benchdnn_lite
