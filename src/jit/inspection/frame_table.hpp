// SPDX-License-Identifier: Apache-2.0
// frame_table: where the caller's frame and registers are at each instruction of a kernel, in the format of .eh_frame
// sections, for those who look into a program from outside (debugger.hpp, perf_dump.hpp).
//
// Nobody within the process is told (__register_frame): whoever throws anywhere in the program would wait for a lock
// from then on, in GCC's runtime before 13, and the child of a fork could wait for ever. That is no price for a guest
// to ask.
#pragma once

#include "bytes.hpp"

namespace jitnorm::impl::jit {

class frame_table {
public:
    // What is true from the offset `at` of the code on. Offsets ascend; before the first, and if there is none, rsp
    // points to the return address. Registers are numbered as in DWARF.
    static constexpr uint8_t RBX = 3, RBP = 6, RSP = 7;
    void pushed(size_t at, uint8_t reg);
    void based_on_rbp(size_t at); // rbp points to where it was pushed
    void popped(size_t at);       // rsp points to the return address again
    void entered(size_t at);      // what follows the return is jumped to, from where the frame is as before popped()

    // The section for code of this size, to lie at offset_behind(code_size) from its begin. A header is what unwinders
    // search (.eh_frame_hdr); it lies right behind the section.
    static size_t offset_behind(size_t code_size) { return round_up(code_size, 8); }
    byte_string section(size_t code_size) const;
    static byte_string header(size_t code_size, size_t section_size);

private:
    void advance(size_t to);

    byte_string rules_;
    size_t at_ = 0, depth_ = 1; // of the stack, in words, before rbp is the base
};

} // namespace jitnorm::impl::jit
