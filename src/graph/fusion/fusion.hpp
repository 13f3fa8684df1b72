// SPDX-License-Identifier: Apache-2.0
// fusion: which operations may be computed with a normalization as one.
#pragma once

#include <cstddef>

#include "../operation/norm_op.hpp"
#include "../operation/op.hpp"

namespace jitnorm::impl::graph {

// A forward normalization that other operations are fused with: an addition before it, and operations after it that
// become its post-ops. oneDNN Graph's rules say what may be after the normalization: at most one TypeCast, then up to
// 19 functions of one or two tensors, then at most one Quantize. Only this library allows the addition. The caller
// makes sure that each operation after the normalization reads the result of the one before it, and that nobody else
// reads it.
//
// A Multiply, an Add, or a Multiply and an Add that come first are no post-ops but the scale and the shift of a
// normalization that has neither gamma nor beta, if the last dimension of what they read beside it is src's.
class fusion {
public:
    // `norm` is the normalization of `op`: forward, of the last axis and no other.
    fusion(const jitnorm_graph_op &op, const norm_op &norm) : norm_(norm), src_(op.inputs[0]), result_(op.outputs[0]) {}

    const logical_tensor &result() const { return result_; } // of the last operation
    const norm_op &norm() const { return norm_; }            // with all operations that were fused

    // Fuses the operation that writes the normalization's input. It must be an Add of a tensor that has the sum's shape
    // and one that is broadcast to it. is_kept: others read the sum, too, so that it must be written. If the operation
    // cannot be part of the normalization, returns false and changes nothing.
    bool prepend(const jitnorm_graph_op &op, bool is_kept);
    // Fuses the operation that reads the result. With z, the operation's other input is the product of z and
    // Sigmoid(z), and the two operations that compute this are fused, too. If the operation cannot follow, returns
    // false and changes nothing.
    bool append(const jitnorm_graph_op &op, const logical_tensor *z = nullptr);

private:
    bool cast(const jitnorm_graph_op &op);
    bool apply(const jitnorm_graph_op &op);
    bool combine(const jitnorm_graph_op &op, const logical_tensor *z = nullptr);
    bool modulate(jitnorm_alg_kind_t alg, const logical_tensor &other);
    bool quantize(const jitnorm_graph_op &op);

    norm_op norm_;
    logical_tensor src_, result_;
    size_t functions_ = 0; // of one or two tensors
    bool is_cast_ = false, is_quantized_ = false;
};

// Whether the second operation computes z * Sigmoid(z), where the first one is Sigmoid and z is what it reads.
bool is_silu(const jitnorm_graph_op &sigmoid, const jitnorm_graph_op &product);

} // namespace jitnorm::impl::graph
