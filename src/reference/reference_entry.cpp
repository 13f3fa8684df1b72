// SPDX-License-Identifier: Apache-2.0
#include "reference_entry.hpp"

#include "reference.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

std::string refusal(const problem &) { return {}; }

} // namespace

constinit const implementation reference_entry = {"ref:any", refusal, reference::create, reference::scratchpad_bytes,
                                                  true};

} // namespace jitnorm::impl::layer_norm
