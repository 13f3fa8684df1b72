// SPDX-License-Identifier: Apache-2.0
// ranking: the implementations, best first. The first that does not refuse a problem is taken.
#pragma once

#include <span>
#include <string_view>

#include "../core/implementation.hpp"

namespace jitnorm::impl::layer_norm {

// Best first; the reference is last and refuses nothing that validate() accepts.
std::span<const implementation> implementations();

// From now on only implementations of this name are taken, or any where it is empty, whatever JITNORM_IMPL says. False,
// and no change, when no implementation has the name.
bool set_forced_implementation(std::string_view name);

// That name, else the environment's JITNORM_IMPL; empty where any is taken. It lives as long as the process.
std::string_view forced_implementation();

// The first implementation at or after `from` that takes the problem; null when there is none. Honours the forced name
// (set_forced_implementation(), else the environment's JITNORM_IMPL) and writes each refusal to the verbose log.
// *status says which it is: success, unimplemented (all refuse, or the forced one does), runtime_error (JITNORM_IMPL
// names no implementation).
const implementation *choose(const problem &p, const implementation *from = nullptr,
                             jitnorm_status_t *status = nullptr);

// The same from a given list, with the forced name as an argument (empty: none).
const implementation *choose_among(std::span<const implementation> list, std::string_view forced_name, const problem &p,
                                   const implementation *from, jitnorm_status_t *status);

} // namespace jitnorm::impl::layer_norm
