// SPDX-License-Identifier: Apache-2.0
// fusion: which operations may be computed with a normalization as one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

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
    // `norm` is the normalization of `op`. None if nothing can be fused with this normalization.
    static std::optional<fusion> begin(const jitnorm_graph_op &op, const norm_op &norm);

    const logical_tensor &result() const { return result_; } // of the last operation
    const norm_op &norm() const { return norm_; }            // with all operations that were fused

    // Fuses the operation that writes the normalization's input. It must be an Add of a tensor that has the sum's shape
    // and one that is broadcast to it. is_kept: others read the sum, too, so that it must be written. If the operation
    // cannot be part of the normalization, returns false and changes nothing.
    bool prepend(const jitnorm_graph_op &op, bool is_kept);
    // Fuses the operation that reads the result. If it cannot follow, returns false and changes nothing.
    bool append(const jitnorm_graph_op &op);
    // The same for an operation whose other input is the product of z and Sigmoid(z), with the two that compute this.
    bool append_with_silu(const jitnorm_graph_op &op, const logical_tensor &z);

private:
    fusion(const jitnorm_graph_op &op, const norm_op &norm) : norm_(norm), src_(op.inputs[0]), result_(op.outputs[0]) {}

    bool cast(const jitnorm_graph_op &op);
    bool apply(const jitnorm_graph_op &op);
    bool combine(const jitnorm_graph_op &op, const logical_tensor *z = nullptr);
    bool modulate(jitnorm_alg_kind_t alg, const logical_tensor &other);
    bool quantize(const jitnorm_graph_op &op);
    bool can_follow(const jitnorm_graph_op &op) const;
    void end_with(const jitnorm_graph_op &op);
    bool writes(size_t id) const;

    norm_op norm_;
    logical_tensor src_, result_;
    size_t functions_ = 0; // of one or two tensors
    bool is_cast_ = false, is_quantized_ = false;
};

// ---- The operations that may follow a normalization (follower.cpp). oneDNN Graph describes which tensors and
// attributes each kind has; an operation that differs from this is no follower. The functions understand_...() return
// false for an operation that they do not recognize.

const char *name_of_follower(jitnorm_graph_op_kind_t kind); // for example "GELU"

// Recognizes a function of one tensor.
bool understand_function(const jitnorm_graph_op &op, eltwise_post_op &result);

// Recognizes a function of two different tensors. One of them has the id `value`; it must be the first one, unless the
// function is commutative. Sets `other` to the index of the other tensor among the inputs.
bool understand_combination(const jitnorm_graph_op &op, size_t value, jitnorm_alg_kind_t &alg, size_t &other);
bool is_addition(const jitnorm_graph_op &op);   // Add, of any two different tensors
bool may_broadcast(const jitnorm_graph_op &op); // whether the attribute auto_broadcast is "numpy", the default
// The result's type for operands of two types; undef if an operation may not have both types.
jitnorm_data_type_t type_of_combination(jitnorm_data_type_t a, jitnorm_data_type_t b);

// Whether the second operation computes z * Sigmoid(z), where the first one is Sigmoid and z is what it reads.
bool is_silu(const jitnorm_graph_op &sigmoid, const jitnorm_graph_op &product);

// Recognizes a quantization to 8 bits with one scale and one zero point for the whole tensor. Refuses scales that are
// not normal numbers or have no normal inverse, and zero points beyond 2^24 in size, up to which f32 represents all
// integers: so value * (1 / scale) + zero point can be computed in f32. For the types f8 it refuses the attribute zps.
bool understand_quantize(const jitnorm_graph_op &op, float &scale, int64_t &zero_point);

} // namespace jitnorm::impl::graph
