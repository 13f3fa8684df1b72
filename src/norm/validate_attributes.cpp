// SPDX-License-Identifier: Apache-2.0
#include "validate_attributes.hpp"

#include <algorithm>
#include <cstdio>

#include "../base/status.hpp"
#include "../tensor/memory_desc.hpp"
#include "../tensor/names.hpp"
#include "../tensor/reasons.hpp"
#include "attributes.hpp"

namespace jitnorm::impl::layer_norm {

status check_further_outputs(const problem &p) {
    for (const tensor_kind &t : TENSORS) {
        if (!is_further_output(t) || !p.writes(t.place)) continue;
        if (!p.is_forward()) return unsupported(explain("%s is forward's alone", t.name));
        if (!is_float(p[t.place].data_type))
            return unsupported(
                explain("%s is %s, f32, bf16, f16 and f64 are possible", t.name, text_of(p[t.place].data_type)));
    }
    return ACCEPTED;
}

status check_residual(const problem &p) {
    if (p.reads(RESIDUAL) && p.attr.normalizes_rounded_sum && !p.writes(SUM))
        return invalid("the rounded sum with the residual is to be normalized, and there is none");
    if (!p.reads(BIAS)) return ACCEPTED;
    if (size_of(p.attr.bias_type) == 0)
        return invalid(explain("biases have the data type %d, which is none", int(p.attr.bias_type)));
    return is_single_or_half(p.attr.bias_type)
               ? ACCEPTED
               : unsupported(explain("biases are %s, f32, bf16 and f16 are possible", text_of(p.attr.bias_type)));
}

status check_attributes(const problem &p) {
    const bool plain = !p.attr.src_scale && !p.attr.dst_scale && p.attr.post_ops.entries.empty();
    return p.is_forward() || plain ? ACCEPTED : unsupported("backward takes neither scales nor post-ops");
}

namespace {

status check_entry(const sum_post_op &op, const problem &p) {
    const jitnorm_data_type_t type = op.data_type == jitnorm_data_type_undef ? p[DST].data_type : op.data_type;
    if (size_of(type) != size_of(p[DST].data_type))
        return invalid(explain("the type of a sum is %s, whose size is not that of dst's, %s", text_of(type),
                               text_of(p[DST].data_type)));
    if (is_f8(type)) return unsupported(explain("a sum reads no %s", text_of(type)));
    if (op.zero_point != 0 && !is_int8(type))
        return invalid(explain("a sum of %s has the zero point %d, which s8 and u8 alone may have", text_of(type),
                               int(op.zero_point)));
    return {};
}

status check_entry(const eltwise_post_op &op, const problem &) {
    if (!is_eltwise(op.alg)) return invalid(explain("the algorithm is %d, which is no eltwise one", int(op.alg)));
    return {};
}

// The dimensions of src1 with those of dst in place of 1.
bool broadcasts_to(const memory_desc &src1, const memory_desc &dst, memory_desc &stretched) {
    stretched = src1;
    for (int d = 0; d < src1.ndims && src1.ndims == dst.ndims; ++d)
        if (src1.dims[d] == 1) stretched.dims[d] = dst.dims[d];
    return same_dims(stretched, dst);
}

status check_entry(const binary_post_op &op, const problem &p) {
    if (!is_binary(op.alg)) return invalid(explain("the algorithm is %d, which is no binary one", int(op.alg)));
    if (size_of(op.src1.data_type) == 0)
        return invalid(explain("src1 has the data type %d, which is none", int(op.src1.data_type)));
    if (is_f8(op.src1.data_type)) return unsupported(explain("src1 cannot be %s", text_of(op.src1.data_type)));
    if (op.src1.format_kind != jitnorm_blocked) return invalid("src1 has an undecided layout");
    memory_desc stretched;
    return broadcasts_to(op.src1, p[DST], stretched)
               ? status{}
               : invalid(explain_dims("src1, broadcast,", stretched, "dst", p[DST]));
}

} // namespace

status check_post_ops(const problem &p) {
    const auto &entries = p.attr.post_ops.entries;
    if (entries.size() > size_t(MAX_POST_OPS))
        return invalid(explain("there are %zu post-ops, up to %d are possible", entries.size(), MAX_POST_OPS));
    for (size_t i = 0; i < entries.size(); ++i) {
        const status v = std::visit([&](const auto &op) { return check_entry(op, p); }, entries[i]);
        if (!v.failed()) continue;
        char name[32];
        std::snprintf(name, sizeof name, "post-op %zu", i);
        return {v.code, explain_part(name, v.reason)};
    }
    return {};
}

namespace {

bool is_scaled(jitnorm_data_type_t type) { return size_of(type) == 1; }

// Whether the scales have the dimensions that scales_per_row() describes; sizes are known (src has the dimensions of
// dst).
bool has_right_dims(const memory_desc &scales, const problem &p) {
    const int rows = p.row_ndims();
    if (scales.ndims != p[SRC].ndims || !std::equal(scales.dims, scales.dims + rows, p[SRC].dims)) return false;
    const bool whole_rows =
        std::all_of(scales.dims + rows, scales.dims + scales.ndims, [](dim_t dim) { return dim == 1; });
    if (whole_rows || p.normalized_axes != 1) return whole_rows;
    const dim_t columns = p[SRC].dims[rows], groups = scales.dims[rows];
    return groups == 0 ? columns == 0 : columns % groups == 0;
}

} // namespace

status check_dynamic_scales(const problem &p) {
    if (!p.has_dynamic_scales()) return {};
    const memory_desc &scales = p[DST_SCALE];
    if (!p.is_forward()) return unsupported("backward finds no scales");
    if (p.attr.dst_scale) return invalid("dst has a scale that is given and scales that are found");
    if (p.has_runtime_sizes()) return unsupported("scales are found for sizes and strides known at creation only");
    if (!is_scaled(p[DST].data_type))
        return unsupported(
            explain("dst is %s, scales are found for s8, u8, f8_e5m2 and f8_e4m3", text_of(p[DST].data_type)));
    if (p.attr.post_ops.read_dst())
        return unsupported("a sum post-op reads values of dst whose scales are not known yet");
    if (scales.data_type != jitnorm_f32 || scales.format_kind != jitnorm_blocked || scales.inner_nblks != 0)
        return unsupported("scales that are found are f32, without inner blocks");
    return has_right_dims(scales, p)
               ? status{}
               : invalid(explain("the scales that are found are %s, dst is %s: there is one for each row, "
                                 "or for each of some groups of a row's columns",
                                 dims_text(scales).text, dims_text(p[DST]).text));
}

} // namespace jitnorm::impl::layer_norm
