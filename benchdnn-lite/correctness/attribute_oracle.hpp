// SPDX-License-Identifier: Apache-2.0
// attribute_oracle: what scales and post-operations make of a value, and of its tolerance.
#pragma once

#include "../problem/attributes.hpp"
#include "oracle.hpp"

namespace benchdnn_lite {

real eltwise_value(const eltwise_post_op &op, real x);
real binary_value(jitnorm_alg_kind_t algorithm, real x, real y);

// The expectation after a multiplication by `factor`.
expectation scaled(const expectation &e, real factor, double unit);
// The scale of values of which the largest magnitude is to become `largest`.
expectation found_scale_of(std::span<const expectation> values, double largest, double unit);
// A value by a scale that was found, before it is rounded to dst's type.
expectation quantized(const expectation &e, double scale, double unit);
expectation after_sum(const expectation &e, const sum_post_op &op, real old_dst, double unit);
expectation after_eltwise(const expectation &e, const eltwise_post_op &op, double unit);
expectation after_binary(const expectation &e, const binary_post_op &op, real source, double unit);

} // namespace benchdnn_lite
