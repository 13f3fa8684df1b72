// SPDX-License-Identifier: Apache-2.0
#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

bool problem::computes_in_double() const {
    const auto is_f64 = [](const memory_desc &md) { return md.data_type == jitnorm_f64; };
    if (is_f64(src) || (is_forward() ? is_f64(dst) : is_f64(diff_dst) || is_f64(diff_src))) return true;
    return (writes_unquantized() && is_f64(attr.unquantized)) || (adds_residual() && is_f64(attr.residual.added)) ||
           ((writes_sum() || reads_diff_sum()) && is_f64(attr.residual.sum));
}

jitnorm_data_type_t problem::row_type() const {
    if (!adds_residual()) return src.data_type;
    if (attr.residual.normalizes_rounded) return attr.residual.sum.data_type;
    return computes_in_double() ? jitnorm_f64 : jitnorm_f32;
}

bool problem::has_runtime_sizes() const {
    for (const memory_desc *md :
         {&src, &dst, &diff_dst, &diff_src, &statistics, &attr.residual.added, &attr.residual.sum, &attr.unquantized})
        if (has_runtime_dims(*md)) return true;
    for (const post_op &entry : attr.post_ops.entries) {
        const auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary != nullptr && has_runtime_dims(binary->src1)) return true;
    }
    return false;
}

dim_t problem::row_length() const {
    dim_t count = 1;
    for (int d = row_ndims(); d < src.ndims; ++d) {
        if (src.dims[d] == RUNTIME_DIM) return RUNTIME_DIM;
        count *= src.dims[d];
    }
    return count;
}

dim_t problem::rows() const {
    dim_t count = 1;
    for (int d = 0; d < row_ndims(); ++d) count *= src.dims[d];
    return count;
}

} // namespace jitnorm::impl::layer_norm
