// SPDX-License-Identifier: Apache-2.0
// prepare: from a problem to what runs it, in two steps that every front end takes:
//
//     const implementation *chosen = nullptr;
//     if (verdict v = prepare(p, chosen); v.status != jitnorm_success) return v;
//     const size_t scratchpad = chosen->scratchpad_bytes(p); // what executions will want, 64-byte aligned
//     ...
//     auto executor = make_executor(p, chosen);
//     executor->execute(arguments);
#pragma once

#include "ranking.hpp"

namespace jitnorm::impl::layer_norm {

// Checks the problem (validate()) and chooses who solves it. Whatever is wrong is in the verdict, and `chosen` is as it
// was: invalid_arguments, unimplemented, or runtime_error where an environment variable has a value of no meaning.
verdict prepare(const problem &p, const implementation *&chosen);

// The executor, by the chosen implementation or, when the system refuses pages for its code, by the next one that takes
// the problem: then `chosen` is that one, and may want another scratchpad. Throws std::bad_alloc, or std::system_error
// when the last implementation is refused too.
std::shared_ptr<const executor> make_executor(const problem &p, const implementation *&chosen);

} // namespace jitnorm::impl::layer_norm
