// SPDX-License-Identifier: Apache-2.0
// debugger: tells debuggers a kernel's name and its frames, by the list of object files that GDB and LLDB look for in a
// process or what is left of it, a core file. Each file is a few hundred bytes.
#pragma once

#include <cstdint>
#include <span>

#include "bytes.hpp"

namespace jitnorm::impl::jit {

struct file_for_debugger {
    file_for_debugger *next, *previous;
    const uint8_t *begin;
    uint64_t size;
};

// In the list as long as it lives. Takes the process's lock at both ends.
class debugger_entry {
public:
    // The code has its frames' section (frame_table.hpp). Without memory the debugger does without.
    debugger_entry(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames) noexcept;
    ~debugger_entry();
    debugger_entry(const debugger_entry &) = delete;
    debugger_entry &operator=(const debugger_entry &) = delete;

private:
    byte_string image_;
    file_for_debugger file_ = {};
};

} // namespace jitnorm::impl::jit
