// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include "../objects/data_type.hpp"
#include "view.hpp"

namespace jitnorm::impl::aclnn {

// Sizes and offset of a tensor without a slot have not been checked, and must not be used in calculations.
parameter::parameter(const tensor *t, slot what) : part(what), is_null(t == nullptr) {
    if (is_null || what == NO_SLOT) return;
    has_elements = count(t->dims) != 0;
    if (has_elements) offset = t->offset * dim_t(size_of(core_type(t->data_type)));
}

} // namespace jitnorm::impl::aclnn
