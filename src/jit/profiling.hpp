// SPDX-License-Identifier: Apache-2.0
// profiling: makes generated code visible to tools, on request. What the functions say takes precedence over the
// environment; all may be called at any time, and count for code generated from then on.
//   JITNORM_JIT_PROFILE=1     appends to /tmp/perf-<pid>.map, which `perf report` reads
//   JITNORM_JIT_DUMP=<folder> writes <folder>/<name>.bin, for objdump -D -b binary -m i386:x86-64
#pragma once

#include <cstddef>
#include <string>

namespace jitnorm::impl::jit {

void set_perf_map(bool wanted);
void set_dump(bool wanted);
void set_dump_folder(std::string folder); // empty: the working folder, as without a folder in the environment

// A missing profile must not break the program: files that cannot be written are a line in the verbose log.
void register_code(const void *begin, size_t size, const char *name) noexcept;

} // namespace jitnorm::impl::jit
