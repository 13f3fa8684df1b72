// SPDX-License-Identifier: Apache-2.0
#include "validate_post_ops.hpp"

#include <cstdio>

#include "../base/last_error.hpp"
#include "../tensor/data_type.hpp"
#include "../tensor/names.hpp"
#include "../tensor/reasons.hpp"
#include "algorithms.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

const char *text_of(jitnorm_data_type_t type) { return name_of(type).data(); }

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

} // namespace jitnorm::impl::layer_norm
