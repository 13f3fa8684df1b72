// SPDX-License-Identifier: Apache-2.0
// frame_table: says where the caller's frame and registers are at each instruction of a kernel, in the format of
// .eh_frame sections. It is for debuggers and profilers, which look at the program from outside (debugger.hpp,
// perf_dump.hpp).
//
// The unwinder within the process is not told of it by __register_frame. After such a call every exception that the
// program throws waits for a lock in GCC's runtime before 13, and the child of a fork could wait for it forever. A
// library must not do this to its program.
#pragma once

#include "bytes.hpp"

namespace jitnorm::impl::jit {

class frame_table {
public:
    // Each of these functions says what is true from the offset `at` in the code on. Offsets must ascend. At the code's
    // begin rsp points to the return address. Registers have DWARF's numbers.
    static constexpr uint8_t RBX = 3, RBP = 6, RSP = 7;
    void pushed(size_t at, uint8_t reg); // the register has been pushed
    void based_on_rbp(size_t at);        // rbp points to where rbp was pushed
    void popped(size_t at);              // rsp points to the return address again
    void entered(size_t at);             // the code behind the return, where the frame is as it was before popped()

    // section() makes the section for code of this size. Its place is offset_behind(code_size) bytes after the code's
    // begin. header() makes the table that unwinders search (.eh_frame_hdr), whose place is right behind the section.
    static size_t offset_behind(size_t code_size) { return round_up(code_size, 8); }
    byte_string section(size_t code_size) const;
    static byte_string header(size_t code_size, size_t section_size);

private:
    void advance(size_t to);

    byte_string rules_;
    size_t at_ = 0, depth_ = 1; // the last offset; the words that have been pushed, with the return address
};

} // namespace jitnorm::impl::jit
