// SPDX-License-Identifier: Apache-2.0
// guarded_buffer: memory with an inaccessible page on both sides, so that one byte too far is a crash.
//
// The buffer touches one of the two guards exactly (the other side keeps the rest of its page, filled with canaries).
// Everything starts as CANARY bytes, so that a test can also tell what was never written.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace jitnorm::tests {

enum class guard_side { after, before }; // which guard the buffer touches

class guarded_buffer {
public:
    static constexpr unsigned char CANARY = 0xA5;

    explicit guarded_buffer(size_t bytes, guard_side side = guard_side::after)
        : page_(size_t(sysconf(_SC_PAGESIZE))), inner_((bytes + page_ - 1) / page_ * page_), bytes_(bytes) {
        void *mapped = mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        mapping_ = static_cast<unsigned char *>(mapped);
        if (inner_ > 0 && mprotect(mapping_ + page_, inner_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        data_ = mapping_ + page_ + (side == guard_side::after ? inner_ - bytes_ : 0);
        if (inner_ > 0) std::memset(mapping_ + page_, CANARY, inner_);
    }
    guarded_buffer(guarded_buffer &&other) noexcept { swap(other); }
    guarded_buffer &operator=(guarded_buffer &&other) noexcept {
        swap(other);
        return *this;
    }
    ~guarded_buffer() {
        if (mapping_) munmap(mapping_, inner_ + 2 * page_);
    }

    void *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    template <typename T>
    T *as() const {
        return reinterpret_cast<T *>(data_);
    }

    // False when something wrote between the buffer and the far guard.
    bool slack_untouched() const {
        const unsigned char *begin = mapping_ + page_, *end = begin + inner_;
        auto is_canary = [](unsigned char byte) { return byte == CANARY; };
        return std::all_of(begin, static_cast<const unsigned char *>(data_), is_canary) &&
               std::all_of(static_cast<const unsigned char *>(data_) + bytes_, end, is_canary);
    }

    // After this, a write is a crash too: for the inputs of a test.
    void make_read_only() const {
        if (inner_ > 0) mprotect(mapping_ + page_, inner_, PROT_READ);
    }

private:
    void swap(guarded_buffer &other) noexcept {
        std::swap(page_, other.page_);
        std::swap(inner_, other.inner_);
        std::swap(bytes_, other.bytes_);
        std::swap(mapping_, other.mapping_);
        std::swap(data_, other.data_);
    }

    size_t page_ = 0, inner_ = 0, bytes_ = 0;
    unsigned char *mapping_ = nullptr, *data_ = nullptr;
};

} // namespace jitnorm::tests
