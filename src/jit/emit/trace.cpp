// SPDX-License-Identifier: Apache-2.0
#include "trace.hpp"

#include <algorithm>
#include <stdexcept>

#include "../../math/post_ops.hpp"

namespace jitnorm::impl::jit {

traced append_step(operation what, uint64_t detail, std::initializer_list<traced> values) {
    trace *where = nullptr;
    for (const traced &value : values)
        if (value.where != nullptr) where = value.where;
    if (where == nullptr) throw std::logic_error("a step of constants alone is no step");
    step s{.what = what, .detail = detail};
    std::ranges::transform(values, s.from.begin(), [&](const traced &value) { return value.index_in(*where); });
    return {where, where->append(s)};
}

namespace {

template <typename T>
trace trace_with(std::span<const post_op_conf> post_ops) {
    using number = traced_number<T>;
    trace program;
    const auto source = [&](operation what, size_t i) {
        return number(traced{&program, program.append({.what = what, .detail = i})});
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

} // namespace

trace trace_post_ops(std::span<const post_op_conf> post_ops, jitnorm_data_type_t compute) {
    return compute == jitnorm_f64 ? trace_with<double>(post_ops) : trace_with<float>(post_ops);
}

} // namespace jitnorm::impl::jit
