// SPDX-License-Identifier: Apache-2.0
// code: a finished kernel in pages of its own. They are written while not executable and made read-and-execute before
// anyone can call them; no page is ever writable and executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "inspection/debugger.hpp"
#include "inspection/frame_table.hpp"

namespace jitnorm::impl::jit {

class code_pages {
public:
    // Throws std::system_error when the system refuses the mapping or to make it executable.
    explicit code_pages(std::span<const uint8_t> instructions);
    ~code_pages();
    code_pages(const code_pages &) = delete;
    code_pages &operator=(const code_pages &) = delete;

    void *begin() const { return pages_; }
    std::span<const uint8_t> instructions() const { return {static_cast<const uint8_t *>(pages_), size_}; }

private:
    void *pages_;
    size_t size_, mapped_;
};

class code {
public:
    // Copies position-independent machine code. Throws as code_pages does. `name` is what profilers, dumps and
    // debuggers call it, `frames` what they unwind by.
    code(std::span<const uint8_t> instructions, const char *name, const frame_table &frames = {});

    template <typename Function>
    Function *entry() const {
        return reinterpret_cast<Function *>(pages_.begin());
    }
    size_t size() const { return pages_.instructions().size(); } // without the padding to whole pages

private:
    code(std::span<const uint8_t> instructions, const char *name, std::span<const uint8_t> frames);

    code_pages pages_;
    debugger_entry debugger_;
};

} // namespace jitnorm::impl::jit
