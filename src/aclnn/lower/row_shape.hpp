// SPDX-License-Identifier: Apache-2.0
// row_shape: the shape of an operation's input, parted into what counts rows and what is normalized.
#pragma once

#include "view.hpp"

namespace jitnorm::impl::aclnn {

class row_shape {
public:
    // normalized_shape must be the last dimensions of the input, at least one of them.
    static outcome part(const tensor &input, shape normalized_shape, row_shape &result);

    // The core wants at least one dimension that counts rows: without one there is a first dimension of 1.
    shape dims() const { return dims_; }
    shape rows() const { return dims().first(dims_.size() - columns_); }
    shape columns() const { return dims().last(columns_); }
    int normalized_axes() const { return int(columns_); }

    // The layouts of a tensor of the input's shape, and of one whose last dimensions are the normalized ones.
    memory_desc data(const tensor &t) const;
    memory_desc columns_of(const tensor &t) const;

private:
    std::vector<dim_t> dims_;
    size_t columns_ = 0;
};

} // namespace jitnorm::impl::aclnn
