// SPDX-License-Identifier: Apache-2.0
#include "thread_scratchpad.hpp"

#include "memory.hpp"

namespace jitnorm::impl::api {

namespace {

struct buffer {
    aligned_bytes data;
    size_t size = 0;
};

thread_local buffer mine;

} // namespace

void *thread_scratchpad(size_t bytes) noexcept {
    if (mine.size < bytes) {
        mine = {};
        mine.data = allocate_aligned(bytes);
        if (mine.data != nullptr) mine.size = bytes;
    }
    return mine.size < bytes ? nullptr : mine.data.get();
}

} // namespace jitnorm::impl::api
