// SPDX-License-Identifier: Apache-2.0
#include "guarded_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <utility>

namespace jitnorm::tests {

namespace {

size_t page_size() {
    static const auto size = size_t(sysconf(_SC_PAGESIZE));
    return size;
}

unsigned char *map(size_t pages) {
    const size_t page = page_size();
    void *mapped = mmap(nullptr, (pages + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    unsigned char *inner = static_cast<unsigned char *>(mapped) + page;
    if (pages > 0 && mprotect(inner, pages * page, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return inner;
}

// Small mappings, writable, that no buffer uses any more. Without them, tests of short rows would spend most of their
// time on making mappings. Each list of mappings is kept in their own memory, since some tests forbid allocations.
class spare_mappings {
public:
    static bool keeps(size_t pages) { return pages > 0 && pages < COUNT; }

    unsigned char *take(size_t pages) {
        const std::lock_guard lock(mutex_);
        mapping *first = first_[pages];
        if (first != nullptr) first_[pages] = first->next;
        return reinterpret_cast<unsigned char *>(first);
    }
    void give(unsigned char *inner, size_t pages) {
        const std::lock_guard lock(mutex_);
        first_[pages] = new (inner) mapping{first_[pages]};
    }

private:
    struct mapping {
        mapping *next;
    };
    static constexpr size_t COUNT = 17;
    std::mutex mutex_;
    mapping *first_[COUNT] = {}; // by the number of pages
};
constinit spare_mappings spare;

bool are_canaries(const unsigned char *begin, const unsigned char *end) {
    return begin == end ||
           (*begin == guarded_buffer::CANARY && std::memcmp(begin, begin + 1, size_t(end - begin - 1)) == 0);
}

} // namespace

guarded_buffer::guarded_buffer(size_t bytes, guard_side side)
    : pages_((bytes + page_size() - 1) / page_size()), bytes_(bytes) {
    if (spare_mappings::keeps(pages_)) inner_ = spare.take(pages_);
    if (inner_ == nullptr) inner_ = map(pages_);
    const size_t all = pages_ * page_size();
    data_ = inner_ + (side == guard_side::after ? all - bytes_ : 0);
    if (all > 0) std::memset(inner_, CANARY, all);
}

guarded_buffer::~guarded_buffer() {
    if (inner_ == nullptr) return;
    const size_t page = page_size(), all = pages_ * page;
    const bool is_writable = !is_read_only_ || mprotect(inner_, all, PROT_READ | PROT_WRITE) == 0;
    if (is_writable && spare_mappings::keeps(pages_))
        spare.give(inner_, pages_);
    else
        munmap(inner_ - page, all + 2 * page);
}

bool guarded_buffer::slack_untouched() const {
    return are_canaries(inner_, data_) && are_canaries(data_ + bytes_, inner_ + pages_ * page_size());
}

void guarded_buffer::make_read_only() const {
    is_read_only_ = pages_ > 0 && mprotect(inner_, pages_ * page_size(), PROT_READ) == 0;
}

void guarded_buffer::swap(guarded_buffer &other) noexcept {
    std::swap(inner_, other.inner_);
    std::swap(data_, other.data_);
    std::swap(pages_, other.pages_);
    std::swap(bytes_, other.bytes_);
    std::swap(is_read_only_, other.is_read_only_);
}

} // namespace jitnorm::tests
