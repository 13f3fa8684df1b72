// SPDX-License-Identifier: Apache-2.0
// standard_output: where the log goes. It belongs to the program, so a line must neither end nor stop nor change the
// process, whatever is behind it.
#pragma once

#include <climits>
#include <string_view>

namespace jitnorm::impl {

// The most bytes of a line: a pipe takes so many in one piece.
constexpr size_t LONGEST_LINE = PIPE_BUF;

// Writes the line by one system call, so that lines of several threads do not mix, and allocates nothing. The line
// comes after what the program has printed to stdout, if its buffer can be written without waiting. The line is lost if
// it cannot be written: if nobody reads the pipe, or if the pipe, socket or terminal is full and no room is made for a
// moment. No signal is left behind, and errno is as before. Returns whether the line was written.
bool write_line(std::string_view line) noexcept;

} // namespace jitnorm::impl
