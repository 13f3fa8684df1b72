// SPDX-License-Identifier: Apache-2.0
// queried: what a function of a C interface says of an object. No test framework is needed.
#pragma once

#include <cstring>
#include <type_traits>

#include "jitnorm_handle.hpp"

namespace jitnorm::tests {

// The value that `get` writes; it must succeed.
template <typename Status, typename Object, typename Value>
Value queried(Status (*get)(Object, Value *), std::type_identity_t<Object> object) {
    Value value;
    std::memset(&value, 0x55, sizeof value); // what no function says
    must(get(object, &value), "a query succeeds");
    return value;
}

} // namespace jitnorm::tests
