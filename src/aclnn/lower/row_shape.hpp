// SPDX-License-Identifier: Apache-2.0
// row_shape: the shape of an operation's input, parted into the dimensions that count rows and those that are
// normalized.
#pragma once

#include "request.hpp"
#include "view.hpp"

namespace jitnorm::impl::aclnn {

class row_shape {
public:
    // `columns` must be the sizes of the input's last dimensions, of one at least. `name` is what reasons call it.
    static acl_status part(const named_tensor &input, const char *name, shape columns, row_shape &result);

    // The input's dimensions. If all of them are normalized, there is a dimension of 1 in front, because the core needs
    // at least one dimension that counts rows.
    shape dims() const { return dims_; }
    shape rows() const { return dims().first(dims_.size() - columns_); }
    shape columns() const { return dims().last(columns_); }
    int normalized_axes() const { return int(columns_); }

    // The layout of a tensor that has the input's shape.
    memory_desc data(const tensor &t) const;
    // The layout of the normalized dimensions of a tensor, which are its last ones, at index 0 of the others.
    memory_desc columns_of(const tensor &t) const;

private:
    std::vector<dim_t> dims_;
    size_t columns_ = 0; // the number of normalized dimensions
};

} // namespace jitnorm::impl::aclnn
