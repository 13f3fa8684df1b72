// SPDX-License-Identifier: Apache-2.0
// attributes: residual, scales, post-operations and scratchpad mode of a problem, in benchdnn's syntax.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data_type.hpp"
#include "fpmath.hpp"

namespace benchdnn_lite {

// dst:per_row, dst:per_tensor:f32:1x128: scales of dst that the library finds and writes
struct found_scales {
    dim_t group = 0; // columns of a row that have a scale together; 0: all of them
    bool operator==(const found_scales &) const = default;

    dim_t columns(dim_t row_length) const { return group != 0 ? group : row_length; } // of one scale
};

// src:common:64+dst:common:0.5
struct tensor_scales {
    std::optional<float> src, dst;
    std::optional<found_scales> found; // of dst; then there is no other
    bool operator==(const tensor_scales &) const = default;
};

// sum[:SCALE[:ZERO_POINT[:DATA_TYPE]]]
struct sum_post_op {
    float scale = 1;
    int zero_point = 0;
    data_type type = jitnorm_data_type_undef; // undef: as dst
    bool operator==(const sum_post_op &) const = default;
};

// ALGORITHM[:ALPHA[:BETA]]
struct eltwise_post_op {
    jitnorm_alg_kind_t algorithm = jitnorm_alg_kind_undef;
    float alpha = 0, beta = 0;
    bool operator==(const eltwise_post_op &) const = default;
};

// ALGORITHM:DATA_TYPE[:MASK[:TAG]]; bit d of the mask set: the second operand has dimension d, else it has 1 there
struct binary_post_op {
    jitnorm_alg_kind_t algorithm = jitnorm_alg_kind_undef;
    data_type type = jitnorm_f32;
    unsigned mask = 0;
    std::string mask_text; // as written: a policy's name or a number
    std::string tag;       // empty: row major
    bool operator==(const binary_post_op &) const = default;

    // The second operand's dimensions for a tensor of `dims`.
    std::vector<dim_t> source_dims(const std::vector<dim_t> &dims) const;
};

using post_op = std::variant<sum_post_op, eltwise_post_op, binary_post_op>;

// A tensor of rows beside src and dst.
struct residual_tensor {
    data_type type = jitnorm_data_type_undef; // undef: as src
    std::string tag;                          // empty: as src
    bool operator==(const residual_tensor &) const = default;
};

// src1[:DATA_TYPE[:TAG]]+dst1[:DATA_TYPE[:TAG]]+bias[:DATA_TYPE]+rounded
struct residual_addition {
    std::optional<residual_tensor> added, sum; // src1, dst1; backward dst1 is that of its gradient
    std::optional<data_type> bias;
    bool rounded = false; // what dst1 has is normalized
    bool operator==(const residual_addition &) const = default;
};

struct attributes {
    residual_addition residual;
    std::optional<residual_tensor> unquantized; // dst before post-ops and its scales, dst2
    tensor_scales scales;
    std::vector<post_op> post_ops;
    bool user_scratchpad = false;
    fpmath precision;           // the library computes in the same way whatever it allows
    bool deterministic = false; // as each of its results is
    bool operator==(const attributes &) const = default;
};

// Each reads one element of its knob's list and throws input_error; an empty text means no attribute.
residual_addition parse_residual(std::string_view text);
std::optional<residual_tensor> parse_unquantized(std::string_view text); // dst2[:DATA_TYPE[:TAG]]
tensor_scales parse_scales(std::string_view text);
std::vector<post_op> parse_post_ops(std::string_view text);
bool parse_user_scratchpad(std::string_view text); // user or library

std::string to_text(const residual_addition &residual);
std::string to_text(const std::optional<residual_tensor> &unquantized);
std::string to_text(const tensor_scales &scales);
std::string to_text(const std::vector<post_op> &post_ops);

} // namespace benchdnn_lite
