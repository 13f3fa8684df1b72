// SPDX-License-Identifier: Apache-2.0
// norm_op: a layer normalization, whichever operation spells it: what its tensors are for and what its attributes say.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../core/attributes.hpp"
#include "../../core/boundary.hpp"
#include "op.hpp"

namespace jitnorm::impl::graph {

enum role : int {
    SRC,
    RESIDUAL, // an addition before the normalization: src and residual give the sum, which is normalized
    DIFF_DST,
    MEAN,
    VARIANCE,
    GAMMA,
    BETA,
    DST,
    SUM,
    DIFF_SRC,
    DIFF_GAMMA,
    DIFF_BETA,
    ROLE_COUNT
};

// How an operation refers to the tensor in a role.
struct port {
    enum class use { unused, read, written };
    use how = use::unused;
    size_t id = 0;
    jitnorm_data_type_t type = jitnorm_data_type_undef;
};

// What an operation that is fused behind a normalization does to each value: a function, or one of two numbers, of
// which the other comes from a tensor.
struct combination {
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    port other;
};
using follower = std::variant<eltwise_post_op, combination>;

struct norm_op {
    std::string name; // "LayerNorm", "LayerNorm+GELU"
    bool is_forward;
    bool is_rms;               // without mean: rows are divided by the root of their mean square
    bool is_affine;            // there are gamma and beta, be they ones and zeros
    bool counts_axes_of_gamma; // as many axes are normalized as gamma has
    int64_t begin_norm_axis;   // otherwise
    float epsilon;
    std::array<port, size_t(ROLE_COUNT)> ports;
    std::vector<follower> followers = {}; // in their order; DST is what the last one writes

    const port &operator[](role r) const { return ports[size_t(r)]; }
    bool reads(role r) const { return (*this)[r].how == port::use::read; }
    bool writes(role r) const { return (*this)[r].how == port::use::written; }
};

// oneDNN's limits for RMSNorm, and for what follows a normalization. An unknown rank is negative.
bool normalizes_last_axis(const norm_op &n, int rank);

// Understands an operation: none, if it is not supported. invalid_graph_op says what is wrong with it.
verdict understand(const jitnorm_graph_op &op, std::optional<norm_op> &result);

} // namespace jitnorm::impl::graph
