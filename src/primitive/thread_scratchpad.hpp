// SPDX-License-Identifier: Apache-2.0
// thread_scratchpad: the scratchpad that the library owns. One buffer for each executing thread, shared by all
// primitives, so that several threads may execute one primitive at once without a lock. It grows when a thread first
// needs more than before and is freed when the thread ends; in a steady state nothing is allocated.
#pragma once

#include "../system/aligned_bytes.hpp"

namespace jitnorm::impl {

// One execution's use of the calling thread's buffer. A caller's pool may begin another execution on a thread that
// waits in the middle of one: that one gets a buffer for itself. So does an execution late in a thread's end.
class thread_scratchpad {
public:
    explicit thread_scratchpad(size_t bytes) noexcept { // 0: none
        if (bytes != 0) take(bytes);
    }
    thread_scratchpad(const thread_scratchpad &) = delete;
    thread_scratchpad &operator=(const thread_scratchpad &) = delete;
    ~thread_scratchpad() {
        if (in_use_ != nullptr) *in_use_ = false;
    }

    // Of at least the wanted size, aligned to 64, with any content; null when memory is out, or none was wanted.
    void *data() const { return data_; }

private:
    void take(size_t bytes) noexcept;

    void *data_ = nullptr;
    bool *in_use_ = nullptr; // the mark on the thread's buffer, where that is it
    aligned_bytes own_;
};

// Frees the calling thread's buffer, unless an execution on this thread is using it.
void free_thread_scratchpad() noexcept;

} // namespace jitnorm::impl
