// SPDX-License-Identifier: Apache-2.0
#include "row_shape.hpp"

#include "../../base/last_error.hpp"

namespace jitnorm::impl::aclnn {

acl_status row_shape::part(const named_tensor &given, const char *name, shape columns, row_shape &result) {
    const tensor &input = *given.t;
    const size_t axes = columns.size();
    if (axes == 0) return invalid(explain("%s is empty", name));
    if (axes > input.dims.size() || !equal(shape(input.dims).last(axes), columns))
        return invalid(explain("%s %s is not the end of the shape %s of %s", name, shape_text(columns).text,
                               shape_text(input.dims).text, given.name));
    result.dims_.assign(input.dims.begin(), input.dims.end());
    if (axes == input.dims.size()) result.dims_.insert(result.dims_.begin(), 1);
    result.columns_ = axes;
    return {};
}

memory_desc row_shape::data(const tensor &t) const {
    std::vector<dim_t> strides(t.strides.begin(), t.strides.end());
    // The stride of a dimension of 1 has no effect, but 0 would look like a broadcast dimension.
    if (strides.size() < dims_.size()) strides.insert(strides.begin(), 1);
    return describe(t, dims_, strides);
}

memory_desc row_shape::columns_of(const tensor &t) const { return describe(t, columns(), t.strides.last(columns_)); }

} // namespace jitnorm::impl::aclnn
