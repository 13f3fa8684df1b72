// SPDX-License-Identifier: Apache-2.0
// profiling: makes generated code visible to tools on request, by environment variables or by the functions below,
// which take precedence. The functions may be called at any time and have an effect on code that is generated
// afterwards.
//   JITNORM_JIT_PROFILE=<flags> writes /tmp/perf-<pid>.map, which `perf report` reads, or jit-<pid>.dump in the folder
//                               of the dumps, which `perf inject` reads
//   JITNORM_JIT_DUMP=<folder>   writes <folder>/<name>.bin, for objdump -D -b binary -m i386:x86-64
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace jitnorm::impl::jit {

void set_profilers(unsigned flags); // JITNORM_JIT_PROFILE_*
void set_dump(bool wanted);
void set_dump_folder(std::string folder); // empty: the working folder

// Writes the files that are wanted for this code. A file that cannot be written is an error in the verbose log only,
// because a missing profile must not break the program: one line at the level of errors, a line for each file at the
// levels above.
void register_code(std::span<const uint8_t> code, const char *name) noexcept;

} // namespace jitnorm::impl::jit
