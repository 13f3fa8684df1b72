// SPDX-License-Identifier: Apache-2.0
// post_ops: records the post-ops of a kernel, by the functions with which the reference computes them.
#pragma once

#include <span>

#include "../../arithmetic/post_ops.hpp"
#include "../kernel_key.hpp"
#include "recording.hpp"

namespace jitnorm::impl::jit {

// Post-op i has the parameters 2i and 2i + 1, and operand i is the one that it reads.
template <typename T>
recording record_post_ops(std::span<const post_op_conf> post_ops) {
    using number = recorded_number<T>;
    recording program;
    const auto source = [&](operation what, size_t i) {
        return number(recorded{&program, program.append({what, -1, -1, -1, i})});
    };
    number y = source(operation::input, 0);
    for (size_t i = 0; i < post_ops.size(); ++i) {
        const post_op_conf &op = post_ops[i];
        const number first = source(operation::parameter, 2 * i), second = source(operation::parameter, 2 * i + 1);
        switch (op.what) {
        case post_op_conf::kind::sum:
            y = math::add_scaled(y, source(operation::operand, i), first, second);
            break;
        case post_op_conf::kind::eltwise:
            math::visit_eltwise<number>(op.alg, op.leaky, first, second, [&](auto function) { y = function(y); });
            break;
        case post_op_conf::kind::binary:
            math::visit_binary<number>(op.alg, [&](auto function) { y = function(y, source(operation::operand, i)); });
            break;
        }
    }
    program.result = y.value.index;
    return program;
}

} // namespace jitnorm::impl::jit
