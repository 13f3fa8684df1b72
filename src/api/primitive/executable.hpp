// SPDX-License-Identifier: Apache-2.0
// executable: what all primitives of one description have in common: an executor and the way to its arguments.
#pragma once

#include "../../core/executor.hpp"
#include "argument_map.hpp"

namespace jitnorm::impl::api {

class executable {
public:
    executable(const described &what, std::shared_ptr<const layer_norm::executor> made); // keeps pointers into it

    const std::shared_ptr<const layer_norm::executor> executor;
    const argument_map arguments;
    const size_t thread_bytes; // of the executing thread's scratchpad
};

// The one that was made before, or a new one. Where an implementation falls back to another one, `what` becomes a
// description of that. Throws std::bad_alloc, std::system_error.
std::shared_ptr<const executable> executable_of(std::shared_ptr<const described> &what);

} // namespace jitnorm::impl::api
