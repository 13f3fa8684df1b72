// SPDX-License-Identifier: Apache-2.0
// profiling: makes generated code visible to tools, on request.
//   JITNORM_JIT_PROFILE=1     appends to /tmp/perf-<pid>.map, which `perf report` reads
//   JITNORM_JIT_DUMP=<folder> writes <folder>/<name>.bin, for objdump -D -b binary -m i386:x86-64
#pragma once

#include <cstddef>

namespace jitnorm::impl::jit {

// Failures are ignored: a missing profile must not break the program.
void register_code(const void *begin, size_t size, const char *name);

} // namespace jitnorm::impl::jit
