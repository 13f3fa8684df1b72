// SPDX-License-Identifier: Apache-2.0
// scarce_memory: a program with this file's .cpp has its own operator new, aligned_alloc and mprotect, which count and,
// when told to, fail.
#pragma once

namespace jitnorm::tests {

extern thread_local long allocations_left; // before one of this thread's fails; negative: none does
extern thread_local long allocations;      // of this thread, so far
extern bool refuse_code_pages;

} // namespace jitnorm::tests
