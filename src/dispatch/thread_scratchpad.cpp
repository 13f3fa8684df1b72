// SPDX-License-Identifier: Apache-2.0
#include "thread_scratchpad.hpp"

#include "../base/thread_state.hpp"

namespace jitnorm::impl {

namespace {

bool grow(thread_state &mine, size_t bytes) {
    auto &buffer = mine.scratchpad;
    if (buffer.size >= bytes) return true;
    buffer.size = 0;
    buffer.data.reset(); // before the allocation: memory may not be enough for both buffers
    buffer.data = allocate_aligned(bytes);
    if (buffer.data != nullptr) buffer.size = bytes;
    return buffer.data != nullptr;
}

} // namespace

void thread_scratchpad::take(size_t bytes) noexcept {
    thread_state *mine = state_of_this_thread();
    if (mine == nullptr || mine->scratchpad.in_use) {
        own_ = allocate_aligned(bytes);
        data_ = own_.get();
    } else if (grow(*mine, bytes)) {
        in_use_ = &mine->scratchpad.in_use;
        *in_use_ = true;
        data_ = mine->scratchpad.data.get();
    }
}

void free_thread_scratchpad() noexcept {
    thread_state *mine = existing_state_of_this_thread();
    if (mine == nullptr || mine->scratchpad.in_use) return;
    mine->scratchpad.data.reset();
    mine->scratchpad.size = 0;
}

} // namespace jitnorm::impl
