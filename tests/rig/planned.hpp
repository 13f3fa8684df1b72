// SPDX-License-Identifier: Apache-2.0
// planned: the plan, the executor and the scratchpad size that an implementation has for a problem, on this machine
// unless another one is given.
#pragma once

#include <memory>

#include "norm/implementation.hpp"

namespace jitnorm::tests {

inline impl::layer_norm::plan plan_of(const impl::layer_norm::implementation &entry, const impl::layer_norm::problem &p,
                                      const impl::machine &on = impl::the_machine()) {
    return entry.make_plan(p, on);
}

inline std::shared_ptr<const impl::layer_norm::executor> create(const impl::layer_norm::implementation &entry,
                                                                const impl::layer_norm::problem &p,
                                                                const impl::machine &on = impl::the_machine()) {
    return entry.create(p, plan_of(entry, p, on));
}

inline size_t scratchpad_bytes(const impl::layer_norm::implementation &entry, const impl::layer_norm::problem &p,
                               const impl::machine &on = impl::the_machine()) {
    return plan_of(entry, p, on).scratchpad.bytes();
}

} // namespace jitnorm::tests
