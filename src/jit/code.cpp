// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "profiling/profiling.hpp"

namespace jitnorm::impl::jit {

namespace {

size_t whole_pages(size_t size) {
    const auto page = size_t(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

std::system_error refused(const char *what) { return {errno, std::generic_category(), what}; }

} // namespace

code_pages::code_pages(std::span<const uint8_t> instructions)
    : pages_(nullptr), size_(instructions.size()), mapped_(whole_pages(instructions.size())) {
    pages_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages_ == MAP_FAILED) throw refused("no memory for generated code");
    std::memcpy(pages_, instructions.data(), size_);
    if (mprotect(pages_, mapped_, PROT_READ | PROT_EXEC) != 0) {
        const std::system_error error = refused("generated code cannot be made executable");
        munmap(pages_, mapped_);
        throw error;
    }
}

code_pages::~code_pages() { munmap(pages_, mapped_); }

code::code(std::span<const uint8_t> instructions, const char *name) : pages_(instructions) {
    register_code(pages_.instructions(), name);
}

} // namespace jitnorm::impl::jit
