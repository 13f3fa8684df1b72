// SPDX-License-Identifier: Apache-2.0
// kernel_cache: generated code by the value that defines it, shared by all primitives of the process.
#pragma once

#include <functional>
#include <memory>

#include "code.hpp"
#include "kernel_key.hpp"

namespace jitnorm::impl::jit {

using code_ptr = std::shared_ptr<const code>;

// The code for the key; made by generate() when it is not there. Generation runs outside the lock and once per key even
// when several threads ask at once; if it throws, all of them get the exception and the next to ask tries again.
code_ptr find_or_generate(const kernel_key &key, const std::function<code_ptr()> &generate);

// Kernels kept at the most; the one unused for longest goes first. Kernels in use live on with their primitives.
int kernel_cache_capacity();
void set_kernel_cache_capacity(int kernels); // 0: keep none

} // namespace jitnorm::impl::jit
