// SPDX-License-Identifier: Apache-2.0
// executable: the executor and the argument map that all primitives of one `described` share.
#pragma once

#include "../../norm/executor.hpp"
#include "argument_map.hpp"

namespace jitnorm::impl::api {

class executable {
public:
    executable(const described &what, std::shared_ptr<const layer_norm::executor> made); // keeps pointers into `what`

    const std::shared_ptr<const layer_norm::executor> executor;
    const argument_map arguments;
    const size_t thread_bytes; // the size of the scratchpad that an execution takes from the executing thread
};

// Returns the executable that was made for `what` before, or a new one. If another implementation has to be used,
// `what` becomes a description with that implementation. Throws std::bad_alloc, std::system_error.
std::shared_ptr<const executable> executable_of(std::shared_ptr<const described> &what);

} // namespace jitnorm::impl::api
