// SPDX-License-Identifier: Apache-2.0
// attr: attributes and post-ops as the C interface's handles know them: all that a caller may say, of which layer
// normalization takes a part.
#pragma once

#include <array>

#include "../../core/attributes.hpp"
#include "../../core/boundary.hpp"
#include "../../core/problem.hpp"

namespace jitnorm::impl::api {

struct prelu_post_op {
    int mask = 0;
};

// Scales of dst that the library is to find: a mask and, with two dimensions, groups.
struct scale_request {
    int mask = 0; // 0: none
    int ndims = 0;
    dim_t group_dims[2] = {0, 0};
};

using any_post_op = std::variant<sum_post_op, eltwise_post_op, binary_post_op, prelu_post_op>;

// What may have been asked for and is not taken, each by itself: what is said last of it counts.
enum class wish {
    src_scale,
    dst_scale,
    other_scale,
    zero_point,
    rounding_of_dst,
    rounding_of_diff_src,
    rounding_of_diff_weights,
    COUNT
};

} // namespace jitnorm::impl::api

struct jitnorm_post_ops {
    std::vector<jitnorm::impl::api::any_post_op> entries; // at most MAX_POST_OPS
};

struct jitnorm_primitive_attr {
    jitnorm_scratchpad_mode_t scratchpad_mode = jitnorm_scratchpad_mode_library;
    bool src_scale = false, dst_scale = false;
    jitnorm::impl::api::scale_request found_scales; // of dst
    jitnorm_post_ops post_ops;
    jitnorm::impl::residual_addition residual;
    jitnorm::impl::memory_desc unquantized; // without dimensions: not wanted

    bool deterministic = false;
    jitnorm_fpmath_mode_t fpmath_mode;
    bool fpmath_applies_to_int = false;
    jitnorm_accumulation_mode_t accumulation_mode = jitnorm_accumulation_mode_strict;

    // Why a wish cannot be fulfilled: a literal, or null.
    std::array<const char *, size_t(jitnorm::impl::api::wish::COUNT)> unfulfilled = {};

    jitnorm_primitive_attr(); // with the process's default floating-point mode

    const char *&unfulfilled_of(jitnorm::impl::api::wish which) { return unfulfilled[size_t(which)]; }
};

namespace jitnorm::impl::api {

// What layer normalization does of the attributes; unimplemented for what it does not take.
verdict lower(const jitnorm_primitive_attr &given, attributes &result);

// Describes the scales that are to be found, for a problem whose dst has its layout.
verdict describe_found_scales(const jitnorm_primitive_attr &given, layer_norm::problem &p);

// The attributes' tensors as a problem has them, their layouts decided.
void take_over_layouts(const attributes &decided, jitnorm_primitive_attr &attr);

} // namespace jitnorm::impl::api
