// SPDX-License-Identifier: Apache-2.0
#include "post_op_chain.hpp"

#include "../math/post_ops.hpp"
#include "../simd/simd.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

tensor_rows operand_of(const sum_post_op &op, const problem &p) {
    memory_desc old = p[DST];
    if (op.data_type != jitnorm_data_type_undef) old.data_type = op.data_type;
    return {old, p.row_ndims()};
}
tensor_rows operand_of(const binary_post_op &op, const problem &p) { return {op.src1, p[DST], p.row_ndims()}; }
tensor_rows operand_of(const eltwise_post_op &, const problem &) { return {}; }

template <typename T>
struct piece {
    dim_t row, begin, count;
    T *y;
};

template <typename T>
void apply_one(const sum_post_op &op, const tensor_rows &operand, const void *dst, const piece<T> &at) {
    T old[TILE];
    operand.read(dst, at.row, at.begin, at.count, old);
    const T scale = T(op.scale), zero_point = T(op.zero_point);
    with_fast_fma([&] {
        for (dim_t i = 0; i < at.count; ++i) at.y[i] = math::add_scaled(at.y[i], old[i], scale, zero_point);
    });
}

template <typename T>
void apply_one(const binary_post_op &op, const tensor_rows &operand, const void *src1, const piece<T> &at) {
    T other[TILE];
    operand.read(src1, at.row, at.begin, at.count, other);
    math::visit_binary<T>(op.alg, [&](auto function) {
        for (dim_t i = 0; i < at.count; ++i) at.y[i] = function(at.y[i], other[i]);
    });
}

template <typename T>
void apply_one(const eltwise_post_op &op, const tensor_rows &, const void *, const piece<T> &at) {
    math::visit_eltwise<T>(op.alg, math::is_leaky(op.alpha), T(op.alpha), T(op.beta), [&](auto function) {
        with_fast_fma([&] {
            for (dim_t i = 0; i < at.count; ++i) at.y[i] = function(at.y[i]);
        });
    });
}

} // namespace

post_op_chain::post_op_chain(const problem &p) {
    for (const post_op &entry : p.attr.post_ops.entries)
        links_.push_back({entry, std::visit([&](const auto &op) { return operand_of(op, p); }, entry)});
}

template <typename T>
void post_op_chain::apply(const arguments &args, dim_t row, dim_t begin, dim_t count, T *y) const {
    for (size_t i = 0; i < links_.size(); ++i) {
        const link &now = links_[i];
        const void *operand = nullptr;
        if (std::holds_alternative<sum_post_op>(now.op)) operand = args[DST];
        if (std::holds_alternative<binary_post_op>(now.op)) operand = args[post_op_slot(i)];
        const piece<T> at = {row, begin, count, y};
        std::visit([&](const auto &op) { apply_one(op, now.operand, operand, at); }, now.op);
    }
}

template void post_op_chain::apply(const arguments &, dim_t, dim_t, dim_t, float *) const;
template void post_op_chain::apply(const arguments &, dim_t, dim_t, dim_t, double *) const;

} // namespace jitnorm::impl::layer_norm::reference
