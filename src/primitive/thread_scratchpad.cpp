// SPDX-License-Identifier: Apache-2.0
#include "thread_scratchpad.hpp"

namespace jitnorm::impl {

namespace {

struct buffer {
    aligned_bytes data;
    size_t size = 0;
    bool in_use = false;

    bool grow_to(size_t bytes) {
        if (size >= bytes) return true;
        size = 0;
        data.reset(); // before, not after: both need not fit
        data = allocate_aligned(bytes);
        if (data != nullptr) size = bytes;
        return data != nullptr;
    }
};

thread_local buffer mine;

} // namespace

thread_scratchpad::thread_scratchpad(size_t bytes) noexcept {
    if (bytes == 0) return;
    if (mine.in_use) {
        own_ = allocate_aligned(bytes);
        data_ = own_.get();
    } else if (mine.grow_to(bytes)) {
        mine.in_use = borrowed_ = true;
        data_ = mine.data.get();
    }
}

thread_scratchpad::~thread_scratchpad() {
    if (borrowed_) mine.in_use = false;
}

} // namespace jitnorm::impl
