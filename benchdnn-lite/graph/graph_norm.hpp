// SPDX-License-Identifier: Apache-2.0
// graph_norm: an operation of a serialized graph as a problem for the oracle, and the operations that the library fuses
// with a normalization: an addition before it, and operations after it.
#pragma once

#include <optional>

#include "../problem/attributes.hpp"
#include "graph_case.hpp"

namespace benchdnn_lite {

// The role of a tensor in an operation. residual and sum belong to an addition that is fused with the normalization
// after it.
enum class graph_role {
    src,
    residual,
    diff_dst,
    mean,
    variance,
    gamma,
    beta,
    dst,
    sum,
    diff_src,
    diff_gamma,
    diff_beta
};

// An operation that is fused after a normalization.
struct graph_follower {
    std::variant<eltwise_post_op, binary_post_op> step;
    size_t other; // if it takes two tensors: the id of the second one

    explicit graph_follower(const eltwise_post_op &op) : step(op), other(0) {}
    graph_follower(const binary_post_op &op, size_t id) : step(op), other(id) {}
};

struct graph_norm {
    bool is_forward = false, is_rms = false, is_ascend = false;
    bool uses_affine = true;
    float epsilon = 1e-5F;
    int64_t begin_norm_axis = -1;
    std::map<graph_role, size_t> inputs, outputs; // ids of the tensors that are read or written
    std::vector<graph_follower> followers;        // in their order; dst is what the last one writes

    std::set<size_t> inputs_ids() const;
    std::set<size_t> outputs_ids() const;

    // How many of src's dimensions come before the normalized ones. Throws input_error if src has no such axis.
    size_t axis(size_t src_ndims, size_t gamma_ndims) const;
};

// Empty if the operation is no normalization. Throws input_error.
std::optional<graph_norm> understand(const graph_op &op);

// The library's number for a kind of operation; for unknown kinds, that of the wildcard.
jitnorm_graph_op_kind_t graph_kind(const std::string &name);

// What a partition of these operations computes: a normalization, an addition before it, operations after it, in the
// order in which they read each other's results, and those that compute z * Sigmoid(z) for one of them. `outputs`: the
// ids of the tensors that the partition writes. Throws input_error, and unsupported if the oracle does not know an
// operation.
graph_norm understand(const std::vector<const graph_op *> &ops, const std::set<size_t> &outputs);

} // namespace benchdnn_lite
