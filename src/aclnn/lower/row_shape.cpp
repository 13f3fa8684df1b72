// SPDX-License-Identifier: Apache-2.0
#include "row_shape.hpp"

namespace jitnorm::impl::aclnn {

outcome row_shape::part(const tensor &input, shape normalized_shape, row_shape &result) {
    const size_t columns = normalized_shape.size();
    if (columns == 0) return invalid("normalizedShape is empty");
    if (columns > input.dims.size()) return invalid("normalizedShape has more dimensions than input");
    if (!equal(shape(input.dims).last(columns), normalized_shape))
        return invalid("normalizedShape is not the last dimensions of input");
    result.dims_.assign(input.dims.begin(), input.dims.end());
    if (columns == input.dims.size()) result.dims_.insert(result.dims_.begin(), 1);
    result.columns_ = columns;
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
