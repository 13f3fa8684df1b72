// SPDX-License-Identifier: Apache-2.0
#include "undecided_layout.hpp"

#include <algorithm>

namespace jitnorm::impl::api {

namespace {

constexpr verdict TOO_LARGE{jitnorm_invalid_arguments, "a tensor is too large to be addressed"};

bool is_plain(const memory_desc &md, const memory_desc &model) {
    for (int d = 0; d < model.ndims; ++d)
        if (model.strides[d] == 0 && model.dims[d] > 1) return true;
    return std::any_of(model.inner_idxs, model.inner_idxs + model.inner_nblks, [&](dim_t d) { return d >= md.ndims; });
}

// Copies the blocks and pads the dimensions to whole ones; answers the number of elements of the inner tile.
dim_t follow_blocks(memory_desc &md, const memory_desc &model) {
    dim_t tile = 1;
    std::fill(md.padded_dims, md.padded_dims + md.ndims, 1);
    for (int i = 0; i < model.inner_nblks; ++i) {
        md.inner_blks[i] = model.inner_blks[i];
        md.inner_idxs[i] = model.inner_idxs[i];
        md.padded_dims[model.inner_idxs[i]] *= model.inner_blks[i];
        tile *= model.inner_blks[i];
    }
    md.inner_nblks = model.inner_nblks;
    for (int d = 0; d < md.ndims; ++d) {
        const dim_t block = md.padded_dims[d];
        md.padded_dims[d] = (md.dims[d] + block - 1) / block * block;
    }
    return tile;
}

dim_t outer_dim(const memory_desc &md, int d) {
    dim_t count = md.padded_dims[d];
    for (int i = 0; i < md.inner_nblks; ++i)
        if (md.inner_idxs[i] == d) count /= md.inner_blks[i];
    return std::max<dim_t>(count, 1);
}

// md's dimensions from model's largest stride to its smallest; equal ones keep their order.
void sort_by_stride(int *order, const memory_desc &md, const memory_desc &model) {
    for (int d = 0; d < md.ndims; ++d) {
        int at = d;
        for (; at > 0 && model.strides[order[at - 1]] < model.strides[d]; --at) order[at] = order[at - 1];
        order[at] = d;
    }
}

// Strides without gaps, larger where model's are larger; false where they do not fit.
bool follow_order(memory_desc &md, const memory_desc &model, dim_t tile) {
    int order[MAX_NDIMS];
    sort_by_stride(order, md, model);
    dim_t stride = tile;
    for (int i = md.ndims - 1; i >= 0; --i) {
        md.strides[order[i]] = stride;
        if (__builtin_mul_overflow(stride, outer_dim(md, order[i]), &stride)) return false;
    }
    dim_t size_in_bytes;
    return !__builtin_mul_overflow(stride, dim_t(size_of(md.data_type)), &size_in_bytes);
}

} // namespace

verdict follow_layout(memory_desc &md, const memory_desc &model) {
    if (md.format_kind != jitnorm_format_kind_any) return {};
    if (has_runtime_dims(md) || has_runtime_dims(model) || is_plain(md, model)) {
        const auto status = make_with_strides(md, md.ndims, md.dims, md.data_type, nullptr);
        return status == jitnorm_success ? verdict{} : TOO_LARGE;
    }
    const dim_t tile = follow_blocks(md, model);
    md.format_kind = jitnorm_blocked;
    return follow_order(md, model, tile) ? verdict{} : TOO_LARGE;
}

namespace {

// Statistics that were not described are f32 in an undecided layout.
verdict decide_statistics(layer_norm::problem &p) {
    if (p.statistics.ndims == 0) {
        const auto status =
            make_with_tag(p.statistics, p.src.ndims - 1, p.src.dims, jitnorm_f32, jitnorm_format_tag_any);
        if (status != jitnorm_success) return TOO_LARGE;
    }
    return follow_layout(p.statistics, p.src);
}

verdict decide_post_ops(layer_norm::problem &p) {
    for (post_op &entry : p.attr.post_ops.entries) {
        auto *binary = std::get_if<binary_post_op>(&entry);
        if (binary == nullptr) continue;
        if (verdict v = follow_layout(binary->src1, p.dst); v.status != jitnorm_success) return v;
    }
    return {};
}

} // namespace

verdict decide_layouts(layer_norm::problem &p) {
    if (p.src.format_kind == jitnorm_format_kind_any)
        return {jitnorm_invalid_arguments, "the layout of the source is undecided"};
    for (memory_desc *md : {&p.dst, &p.diff_dst, &p.diff_src})
        if (verdict v = follow_layout(*md, p.src); v.status != jitnorm_success) return v;
    if (verdict v = decide_statistics(p); v.status != jitnorm_success) return v;
    return p.is_forward() ? decide_post_ops(p) : verdict{};
}

} // namespace jitnorm::impl::api
