// SPDX-License-Identifier: Apache-2.0
// Hostile sizes ask for hostile amounts of memory. That they are refused is ordinary: the address sanitizer would take
// it for a finding, and its operator new ends the process in place of throwing.
#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" const char *__asan_default_options(); // NOLINT: the sanitizer's names
extern "C" const char *__ubsan_default_options();
extern "C" const char *__asan_default_options() {
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:detect_stack_use_after_return=0";
}
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }

void *operator new(size_t size, const std::nothrow_t &) noexcept { return std::malloc(size == 0 ? 1 : size); }
void *operator new(size_t size) {
    void *memory = operator new(size, std::nothrow);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
