// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include "../objects/data_type.hpp"
#include "view.hpp"

namespace jitnorm::impl::aclnn {

// Sizes and offset of a tensor without a slot have not been checked, and must not be used in calculations.
parameter::parameter(const named_tensor &given, slot what)
    : name(given.name), part(given.t == nullptr ? NO_SLOT : what), is_null(given.t == nullptr) {
    if (part == NO_SLOT) return;
    has_elements = count(given.t->dims) != 0;
    if (has_elements) offset = given.t->offset * dim_t(size_of(core_type(given.t->data_type)));
}

std::vector<parameter> with_slots(std::span<const named_tensor> given, std::initializer_list<slot> slots) {
    std::vector<parameter> result;
    result.reserve(given.size());
    for (size_t i = 0; i < given.size(); ++i) result.emplace_back(given[i], slots.begin()[i]);
    return result;
}

} // namespace jitnorm::impl::aclnn
