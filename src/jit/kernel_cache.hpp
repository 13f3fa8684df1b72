// SPDX-License-Identifier: Apache-2.0
// kernel_cache: keeps generated code by its configuration. All primitives of the process share it.
#pragma once

#include <functional>
#include <memory>

#include "code.hpp"
#include "kernel_key.hpp"

namespace jitnorm::impl::jit {

using code_ptr = std::shared_ptr<const code>;

// The code for the key. If the cache does not have it, generate() makes it, without a lock. If several threads ask for
// one key at once, one of them generates and the others wait. If generate() throws, all of them get the exception, and
// the next call tries again.
code_ptr find_or_generate(const kernel_key &key, const std::function<code_ptr()> &generate);

// How many kernels are kept at the most. Those that were unused for longest are dropped first; a kernel that is dropped
// lives as long as primitives use it.
int kernel_cache_capacity();
void set_kernel_cache_capacity(int kernels); // 0: keep none

} // namespace jitnorm::impl::jit
