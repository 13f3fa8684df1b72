// SPDX-License-Identifier: Apache-2.0
// ranking: the list of implementations, best first. The first one that does not refuse a problem solves it.
#pragma once

#include <span>
#include <string_view>

#include "../norm/implementation.hpp"

namespace jitnorm::impl::layer_norm {

// Best first; the reference is last and refuses nothing that validate() accepts.
std::span<const implementation> implementations();

// From now on only the implementation of this name is chosen, or any if the name is empty. This takes precedence over
// JITNORM_IMPL. If no implementation has the name, returns false and changes nothing.
bool set_forced_implementation(std::string_view name);

name_list implementation_names();

// The name that set_forced_implementation() has set, otherwise that in JITNORM_IMPL; empty if any implementation may be
// chosen. The text lives as long as the process.
std::string_view forced_implementation();

// The first implementation at or after `from` (null: of all) that has the forced name, if there is one, and takes the
// problem; null if there is none. Writes each refusal to the verbose log. *code becomes success, unimplemented (all
// of them refuse the problem) or runtime_error (JITNORM_IMPL names no implementation).
const implementation *choose(const problem &p, const implementation *from = nullptr, jitnorm_status_t *code = nullptr);

// The same for a given list and a given forced name (empty: none).
const implementation *choose_among(std::span<const implementation> list, std::string_view forced_name, const problem &p,
                                   const implementation *from, jitnorm_status_t *code);

} // namespace jitnorm::impl::layer_norm
