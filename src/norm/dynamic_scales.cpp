// SPDX-License-Identifier: Apache-2.0
#include "dynamic_scales.hpp"

#include <algorithm>

#include "../base/last_error.hpp"
#include "../tensor/names.hpp"
#include "../tensor/reasons.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool is_scaled(jitnorm_data_type_t type) { return size_of(type) == 1; }

// Whether the scales have the dimensions that the header describes; sizes are known (src has the dimensions of dst).
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

dim_t scales_per_row(const problem &p) {
    const memory_desc &scales = p[DST_SCALE];
    dim_t count = 1;
    for (int d = p.row_ndims(); d < scales.ndims; ++d) count *= scales.dims[d];
    return count;
}

dim_t columns_per_scale(const problem &p) { return p.row_length() / scales_per_row(p); }

status check_dynamic_scales(const problem &p) {
    if (!p.has_dynamic_scales()) return {};
    const memory_desc &scales = p[DST_SCALE];
    if (!p.is_forward()) return unsupported("backward finds no scales");
    if (p.attr.dst_scale) return invalid("dst has a scale that is given and scales that are found");
    if (p.has_runtime_sizes()) return unsupported("scales are found for sizes and strides known at creation only");
    if (!is_scaled(p[DST].data_type))
        return unsupported(
            explain("dst is %s, scales are found for s8, u8, f8_e5m2 and f8_e4m3", name_of(p[DST].data_type).data()));
    if (p.attr.post_ops.read_dst())
        return unsupported("a sum post-op reads values of dst whose scales are not known yet");
    if (scales.data_type != jitnorm_f32 || scales.format_kind != jitnorm_blocked || scales.inner_nblks != 0)
        return unsupported("scales that are found are f32, without inner blocks");
    if (is_broadcast(scales)) return invalid("the scales that are found have a stride of 0 and are an output");
    return has_right_dims(scales, p)
               ? status{}
               : invalid(explain("the scales that are found are %s, dst is %s: there is one for each row, "
                                 "or for each of some groups of a row's columns",
                                 dims_text(scales).text, dims_text(p[DST]).text));
}

} // namespace jitnorm::impl::layer_norm
