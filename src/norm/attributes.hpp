// SPDX-License-Identifier: Apache-2.0
// attributes: operations on src before the normalization and on the normalized values before they are stored, and who
// owns the scratchpad.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "../tensor/memory_desc.hpp"
#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

// dst = dst + scale * (old - zero_point), where `old` is dst before the execution, read as `data_type`.
struct sum_post_op {
    float scale = 1;
    int32_t zero_point = 0;
    jitnorm_data_type_t data_type = jitnorm_data_type_undef; // a type of the size of dst's; undef: the type of dst
    bool operator==(const sum_post_op &) const = default;
};

struct eltwise_post_op {
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    float alpha = 0, beta = 0;
    bool operator==(const eltwise_post_op &) const = default;
};

// dst = alg(dst, src1), where src1 is broadcast along each of its dimensions of size 1.
struct binary_post_op {
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    memory_desc src1;
    bool operator==(const binary_post_op &) const = default;
};

using post_op = std::variant<sum_post_op, eltwise_post_op, binary_post_op>;

constexpr int MAX_POST_OPS = 32;

struct post_op_list {
    std::vector<post_op> entries; // at most MAX_POST_OPS

    // Whether a post-op of the list reads dst as it is before the execution.
    bool read_dst() const {
        return std::ranges::any_of(entries, [](auto &entry) { return std::holds_alternative<sum_post_op>(entry); });
    }

    bool operator==(const post_op_list &) const = default;
};

// Whether there is such a mode. None changes results.
constexpr bool is_known(jitnorm_fpmath_mode_t mode) {
    return jitnorm_fpmath_mode_strict <= mode && mode <= jitnorm_fpmath_mode_tf32;
}

struct attributes {
    jitnorm_scratchpad_mode_t scratchpad_mode = jitnorm_scratchpad_mode_library;
    bool src_scale = false; // whether the execution brings one f32 that is the scale of src
    bool dst_scale = false; // the same for dst
    post_op_list post_ops;
    jitnorm_data_type_t bias_type = jitnorm_data_type_undef; // of the bias that is added with the residual; undef: none
    // With a residual: the sum is normalized as its tensor holds it, not as computed.
    bool normalizes_rounded_sum = false;
    bool multiplies_silu = false; // with a residual: the "sum" is src times silu of the residual
    bool operator==(const attributes &) const = default;
};

// The algorithms that post-ops can have, in the order of their numbers.
constexpr jitnorm_alg_kind_t ELTWISE_ALGORITHMS[] = {
#define ELTWISE(name, number) jitnorm_eltwise_##name,
#include "../../tables/eltwise.inc"
};

constexpr jitnorm_alg_kind_t BINARY_ALGORITHMS[] = {
#define BINARY(name, number) jitnorm_binary_##name,
#include "../../tables/binary.inc"
};

constexpr bool is_eltwise(jitnorm_alg_kind_t alg) { return std::ranges::count(ELTWISE_ALGORITHMS, alg) != 0; }
constexpr bool is_binary(jitnorm_alg_kind_t alg) { return std::ranges::count(BINARY_ALGORITHMS, alg) != 0; }

} // namespace jitnorm::impl
