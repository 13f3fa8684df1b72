// SPDX-License-Identifier: Apache-2.0
// view: checks the shapes and strides of this front end's tensors, and turns them into the core's layouts.
#pragma once

#include <optional>
#include <span>

#include "../../tensor/memory_desc.hpp"
#include "../objects/failure.hpp"
#include "../objects/handles.hpp"

namespace jitnorm::impl::aclnn {

using shape = std::span<const dim_t>;

// "[4, 6]", for reasons.
struct shape_text {
    char text[120];
    explicit shape_text(shape dims);
};

// Rules for every tensor: 1 to 8 dimensions; the type FLOAT, FLOAT16 or BF16; a plain format; no negative dimension,
// stride or offset; no element further away than can be addressed. `name` is the parameter's name.
acl_status check_tensor(const char *name, const tensor &t);
// The same rules without the one for the type.
acl_status check_view(const char *name, const tensor &t);
// A further rule for a tensor that is written: no two elements share memory.
acl_status check_writable(const char *name, const tensor &t);

bool is_contiguous(const tensor &t); // row-major, without gaps

dim_t count(shape dims); // of elements; 1 without dimensions
bool equal(shape a, shape b);

// The strides with which a tensor of the shape `dims` has the same elements in the same row-major order. `dims` must
// have as many elements as the tensor. None if no strides do that.
std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims);

// A layout of the tensor's type that begins at the tensor's first element, so without its offset. Elements may share
// memory, as those of inputs do with some strides.
memory_desc describe(const tensor &t, shape dims, std::span<const dim_t> strides);

} // namespace jitnorm::impl::aclnn
