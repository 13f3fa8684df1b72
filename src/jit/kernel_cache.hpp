// SPDX-License-Identifier: Apache-2.0
// kernel_cache: finished kernels, each in memory pages of its own, and the cache that keeps them by their
// configuration. All primitives of the process share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "configurations.hpp"

namespace jitnorm::impl::jit {

// The pages are first writable, then readable and executable; no page is ever writable and executable at once.
class code {
public:
    // Copies the instructions, which must be position-independent. Throws std::system_error if the system refuses the
    // pages or refuses to make them executable. Profilers and dumps call the kernel by `name`.
    code(std::span<const uint8_t> instructions, const char *name);
    ~code();
    code(const code &) = delete;
    code &operator=(const code &) = delete;

    template <typename Function>
    Function *entry() const {
        return reinterpret_cast<Function *>(pages_);
    }
    size_t size() const { return size_; } // bytes of instructions

private:
    void *pages_;
    size_t size_, mapped_; // bytes of instructions, bytes of whole pages
};

using code_ptr = std::shared_ptr<const code>;

// The code for the key. If the cache does not have it, generate() makes it, without a lock. If several threads ask for
// one key at once, one of them generates and the others wait. If generate() throws, all of them get the exception, and
// the next call tries again.
code_ptr find_or_generate(const kernel_key &key, const std::function<code_ptr()> &generate);

// How many kernels are kept at the most. Those that were unused for longest are dropped first; a kernel that is dropped
// lives as long as primitives use it.
int kernel_cache_capacity();
void set_kernel_cache_capacity(int most); // 0: keep none

} // namespace jitnorm::impl::jit
