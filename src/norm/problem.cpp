// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

#include <algorithm>

namespace jitnorm::impl::layer_norm {

memory_desc problem::layout(slot s) const {
    const auto vector = [](dim_t length, jitnorm_data_type_t type) { return make_dense({&length, 1}, type); };
    if (const memory_desc *operand = post_op_operand(s)) return *operand;
    if ((*this)[s].ndims != 0) return (*this)[s];
    const memory_desc &parameter = (*this)[s == DIFF_GATE ? GATE : s == DIFF_SCALE ? SCALE : SHIFT];
    const jitnorm_data_type_t gradient_type = s == DIFF_GATE ? parameter.data_type : diff_scale_shift_type;
    switch (TENSORS[size_t(s)].dims) {
    case extent::columns:
        return vector(row_length(), s == BIAS ? attr.bias_type : scale_shift_type);
    case extent::gradient:
        return parameter.ndims == 0 ? vector(row_length(), gradient_type)
                                    : make_dense(dims_of(parameter), gradient_type);
    case extent::scale:
        return vector(1, jitnorm_f32);
    default:
        return (*this)[s];
    }
}

unsigned problem::affine_flags() const {
    unsigned all = 0;
#define FLAG(...)
#define AFFINE_FLAG(name, ...) all |= unsigned(jitnorm_##name);
#include "../../tables/normalization_flags.inc"
    return flags & all & ~unsigned(jitnorm_round_normalized);
}

// An omitted output counts, so that the other outputs have the same bits with and without it.
bool problem::computes_in_double() const {
    return std::ranges::any_of(TENSORS, [&](const tensor_kind &t) {
        const bool is_wide = t.dims == extent::rows && (*this)[t.place].data_type == jitnorm_f64;
        return is_wide && (uses(t.place) || (omitted & bit_of(t.place)) != 0);
    });
}

jitnorm_data_type_t problem::row_type() const {
    if (!reads(RESIDUAL)) return (*this)[SRC].data_type;
    if (attr.normalizes_rounded_sum) return (*this)[SUM].data_type;
    return compute_type();
}

// A product with silu is not stored before it is normalized: a model whose gate comes first rounds to src's type.
jitnorm_data_type_t problem::normalized_type() const {
    const bool is_sum = reads(RESIDUAL) && is_forward() && !attr.multiplies_silu && (*this)[SUM].ndims != 0;
    const jitnorm_data_type_t type = (*this)[is_sum ? SUM : SRC].data_type;
    return has(jitnorm_round_normalized) && is_single_or_half(type) ? type : compute_type();
}

jitnorm_data_type_t problem::scaled_type() const {
    const jitnorm_data_type_t normalized = normalized_type(), other = scale_shift_type;
    if (normalized == other || !(uses_scale() || uses_shift())) return normalized;
    return normalized == jitnorm_f64 || other == jitnorm_f64 ? jitnorm_f64 : jitnorm_f32;
}

bool problem::has_runtime_sizes() const {
    bool any = false;
    for_each_descriptor([&](const memory_desc &md) { any |= has_runtime_dims(md); });
    return any;
}

dim_t scales_per_row(const problem &p) { return product_of(dims_of(p[DST_SCALE]).subspan(size_t(p.row_ndims()))); }

dim_t columns_per_scale(const problem &p) { return p.row_length() / scales_per_row(p); }

} // namespace jitnorm::impl::layer_norm
