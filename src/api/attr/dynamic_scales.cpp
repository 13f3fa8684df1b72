// SPDX-License-Identifier: Apache-2.0
// Makes the descriptor of the scales of dst that the library finds from the mask and the groups.
#include "attr.hpp"

#include <algorithm>

namespace jitnorm::impl::api {

using enum layer_norm::slot;

status describe_dynamic_scales(const jitnorm_primitive_attr &given, layer_norm::problem &p) {
    const scale_request &asked = given.dynamic_scales;
    if (asked.mask == 0) return {};
    if (!p.is_forward()) return unsupported("attr asks for scales to be found, backward finds none");
    if (p[DST].ndims == 0) return invalid("dst has no dimensions");
    if (p.has_runtime_sizes()) return unsupported("scales are found for sizes and strides known at creation only");
    const int last = p[DST].ndims - 1, rows = (1 << last) - 1, everything = rows | 1 << last;
    if ((asked.mask & ~everything) != 0)
        return invalid(explain("attr has scales with the mask %d, dst has %d dimensions", asked.mask, p[DST].ndims));
    const bool grouped = asked.mask == everything && asked.ndims == 2 && asked.group_dims[0] == 1;
    if (!grouped && (asked.mask != rows || asked.ndims != 0))
        return unsupported("scales are found for each row (a mask of all dimensions but the last) or for groups of its "
                           "columns (a mask of all dimensions, groups of 1 x columns)");
    const dim_t columns = p[DST].dims[last], width = grouped ? asked.group_dims[1] : std::max<dim_t>(columns, 1);
    if (columns % width != 0)
        return invalid(explain("attr has scales for groups of %lld columns, rows of %lld are not whole groups",
                               static_cast<long long>(width), static_cast<long long>(columns)));
    jitnorm_dims_t dims;
    std::copy(p[DST].dims, p[DST].dims + last, dims);
    dims[last] = grouped ? columns / width : 1;
    p[DST_SCALE] = make_dense({dims, size_t(p[DST].ndims)}, jitnorm_f32);
    return {};
}

} // namespace jitnorm::impl::api
