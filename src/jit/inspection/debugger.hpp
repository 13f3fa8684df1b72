// SPDX-License-Identifier: Apache-2.0
// debugger: tells debuggers the names and the stack frames of kernels. GDB and LLDB look for a list of object files in
// a process or a core file. Each kernel has an object file of a few hundred bytes in this list.
#pragma once

#include <cstdint>
#include <span>

#include "bytes.hpp"

namespace jitnorm::impl::jit {

// An entry of the list; debuggers prescribe its layout.
struct file_for_debugger {
    file_for_debugger *next, *previous;
    const uint8_t *begin;
    uint64_t size;
};

// The entry of one kernel. It is in the list as long as this object lives. Constructor and destructor take
// process_lock.
class debugger_entry {
public:
    // `frames` is the section that frame_table makes for the code. If memory is out, the kernel has no entry.
    debugger_entry(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames) noexcept;
    ~debugger_entry();
    debugger_entry(const debugger_entry &) = delete;
    debugger_entry &operator=(const debugger_entry &) = delete;

private:
    byte_string image_;
    file_for_debugger file_ = {};
};

} // namespace jitnorm::impl::jit
