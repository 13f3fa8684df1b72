// SPDX-License-Identifier: Apache-2.0
// view: tensors of this front end as shapes and layouts that the core knows.
#pragma once

#include <optional>
#include <span>

#include "../../core/memory_desc.hpp"
#include "../objects/failure.hpp"
#include "../objects/handles.hpp"

namespace jitnorm::impl::aclnn {

using shape = std::span<const dim_t>;

// What every tensor must be by itself: 1 to 8 dimensions, a type and a format that are taken, no negative dimension,
// stride or offset, and all of it addressable. The name is the parameter's.
outcome check_tensor(const char *name, const tensor &t);
// The same but for the type, which has been checked.
outcome check_view(const char *name, const tensor &t);
// What a tensor that is written must be on top of that: no two elements share memory.
outcome check_writable(const char *name, const tensor &t);

bool is_contiguous(const tensor &t); // row major, without gaps

dim_t count(shape dims); // elements; 1 without dimensions
bool equal(shape a, shape b);

// The strides by which the tensor's elements, in row-major order, are a tensor of the given shape, which has as many
// elements; none where no strides say that.
std::optional<std::vector<dim_t>> strides_as(const tensor &t, shape dims);

// The tensor's type with a layout; inputs may have strides that make elements share memory. Starts at the first
// element.
memory_desc describe(const tensor &t, shape dims, std::span<const dim_t> strides);

} // namespace jitnorm::impl::aclnn
