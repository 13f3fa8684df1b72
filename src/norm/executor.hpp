// SPDX-License-Identifier: Apache-2.0
// executor: a problem made ready to run. Executors are immutable, and several threads may execute one at once: all that
// changes is in the memory that the arguments point to.
#pragma once

#include "arguments.hpp"

namespace jitnorm::impl::layer_norm {

class executor {
public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    virtual jitnorm_status_t execute(const arguments &args) const = 0;
};

} // namespace jitnorm::impl::layer_norm
