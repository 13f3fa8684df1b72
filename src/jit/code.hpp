// SPDX-License-Identifier: Apache-2.0
// code: a finished kernel in memory pages of its own. The pages are first writable, then readable and executable; no
// page is ever writable and executable at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jitnorm::impl::jit {

class code_pages {
public:
    // Copies the instructions. Throws std::system_error if the system refuses the pages or refuses to make them
    // executable.
    explicit code_pages(std::span<const uint8_t> instructions);
    ~code_pages();
    code_pages(const code_pages &) = delete;
    code_pages &operator=(const code_pages &) = delete;

    void *begin() const { return pages_; }
    std::span<const uint8_t> instructions() const { return {static_cast<const uint8_t *>(pages_), size_}; }

private:
    void *pages_;
    size_t size_, mapped_; // bytes of instructions, bytes of whole pages
};

class code {
public:
    // Copies the instructions, which must be position-independent. Throws as code_pages does. Profilers and dumps
    // call the kernel by `name`.
    code(std::span<const uint8_t> instructions, const char *name);

    template <typename Function>
    Function *entry() const {
        return reinterpret_cast<Function *>(pages_.begin());
    }
    size_t size() const { return pages_.instructions().size(); } // bytes of instructions

private:
    code_pages pages_;
};

} // namespace jitnorm::impl::jit
