// SPDX-License-Identifier: Apache-2.0
// code: a finished kernel in pages of its own. They are written while not executable and made read-and-execute before
// anyone can call them; no page is ever writable and executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace jitnorm::impl::jit {

class code {
public:
    // Copies position-independent machine code. Throws std::system_error when the system refuses the mapping or to make
    // it executable. `name` is what profilers and dumps call it.
    code(std::span<const uint8_t> bytes, const char *name);
    ~code();
    code(const code &) = delete;
    code &operator=(const code &) = delete;

    template <typename Function>
    Function *entry() const {
        return reinterpret_cast<Function *>(pages_);
    }
    size_t size() const { return size_; } // of the code, without the padding to whole pages

private:
    void *pages_;
    size_t size_, mapped_;
};

} // namespace jitnorm::impl::jit
