// SPDX-License-Identifier: Apache-2.0
// fusion: a forward normalization that other operations are fused with: an addition before it, and operations behind it
// that become its post-ops.
#pragma once

#include <optional>

#include "../operation/norm_op.hpp"

namespace jitnorm::impl::graph {

// oneDNN Graph's rules say what may be behind the normalization: at most one TypeCast, then up to 19 functions of one
// or two tensors, then at most one Quantize. The addition is allowed by this library alone. The caller makes sure that
// each operation behind the normalization reads the result of the one before it, and that nobody else reads it.
class fusion {
public:
    // `norm` is what `op` describes. None if nothing can be fused with this normalization.
    static std::optional<fusion> begin(const jitnorm_graph_op &op, const norm_op &norm);

    const logical_tensor &result() const { return result_; } // of the last operation
    const norm_op &norm() const { return norm_; }            // with all operations that were fused

    // Fuses the operation that writes the normalization's input. It must be an Add of a tensor that has the sum's shape
    // and one that is broadcast to it. is_kept: others read the sum, too, so that it must be written. If the operation
    // cannot be part of the normalization, returns false and changes nothing.
    bool prepend(const jitnorm_graph_op &op, bool is_kept);
    // Fuses the operation that reads the result. If it cannot follow, returns false and changes nothing.
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
