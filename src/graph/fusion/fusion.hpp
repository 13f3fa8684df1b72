// SPDX-License-Identifier: Apache-2.0
// fusion: a normalization forward with an addition before it, and the operations behind it, as long as they can be its
// post-operations.
#pragma once

#include <optional>

#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

// The addition is this library's own. The rest is as oneDNN Graph has it: after the normalization at most one TypeCast,
// up to 19 functions of one or two tensors, at most one Quantize. Each reads what the one before it wrote, and nobody
// else does: the caller looks after that.
class fusion {
public:
    // None where nothing can follow the operation.
    static std::optional<fusion> begin(const jitnorm_graph_op &op, const norm_op &norm);

    const logical_tensor &result() const { return result_; }
    const norm_op &norm() const { return norm_; } // with all that was appended

    // An Add that writes what is normalized: of tensors of which one has the shape of the sum, the other is broadcast
    // to it. is_kept: others read the sum, too. False where it cannot be part of the normalization; then nothing has
    // changed.
    bool prepend(const jitnorm_graph_op &op, bool is_kept);
    // False where the operation cannot follow; then nothing has changed.
    bool append(const jitnorm_graph_op &op);

private:
    fusion(const jitnorm_graph_op &op, const norm_op &norm) : norm_(norm), src_(op.inputs[0]), result_(op.outputs[0]) {}

    bool cast(const jitnorm_graph_op &op);
    bool apply(const jitnorm_graph_op &op);
    bool combine(const jitnorm_graph_op &op);
    bool quantize(const jitnorm_graph_op &op);
    bool writes(size_t id) const;

    norm_op norm_;
    logical_tensor src_, result_;
    bool is_cast_ = false, is_quantized_ = false;
};

} // namespace jitnorm::impl::graph
