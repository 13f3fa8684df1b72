// SPDX-License-Identifier: Apache-2.0
// profiling: makes generated code visible to tools, on request. What the functions say takes precedence over the
// environment; all may be called at any time, and count for code generated from then on.
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
void set_dump_folder(std::string folder); // empty: the working folder, as without a folder in the environment

// The code with its frames' section (frame_table.hpp). A missing profile must not break the program: files that cannot
// be written are a line in the verbose log.
void register_code(std::span<const uint8_t> code, const char *name, std::span<const uint8_t> frames) noexcept;

} // namespace jitnorm::impl::jit
