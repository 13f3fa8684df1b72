// SPDX-License-Identifier: Apache-2.0
#include "allocation_failures.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

namespace jitnorm::tests {

thread_local long allocations_left = -1;
thread_local long allocations = 0;
thread_local bool no_memory = false;
bool refuse_code_pages = false;

namespace {

bool may_allocate() {
    ++allocations;
    if (no_memory) return false;
    return allocations_left < 0 || allocations_left-- > 0;
}

} // namespace
} // namespace jitnorm::tests

using namespace jitnorm::tests;

void *operator new(size_t size, const std::nothrow_t &) noexcept {
    return may_allocate() ? std::malloc(size == 0 ? 1 : size) : nullptr;
}
void *operator new(size_t size) {
    void *memory = operator new(size, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

extern "C" void *aligned_alloc(size_t alignment, size_t size) noexcept {
    void *memory = nullptr;
    return may_allocate() && posix_memalign(&memory, alignment, size) == 0 ? memory : nullptr;
}

extern "C" int mprotect(void *address, size_t length, int protection) noexcept {
    if (refuse_code_pages && (protection & PROT_EXEC) != 0) {
        errno = EACCES;
        return -1;
    }
    return int(syscall(SYS_mprotect, address, length, protection));
}
