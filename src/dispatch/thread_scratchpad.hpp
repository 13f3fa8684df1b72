// SPDX-License-Identifier: Apache-2.0
// thread_scratchpad: the scratchpads that the library owns. Each thread that calls executions has one buffer, which all
// primitives share, so that several threads may execute one primitive at once without a lock. The buffer grows when an
// execution needs more than those before it, and is freed when the thread ends.
#pragma once

#include "../base/bytes.hpp"

namespace jitnorm::impl {

// The scratchpad of one execution, which normally is the calling thread's buffer. The execution gets a buffer of its
// own if the thread's buffer is in use, because a caller's pool began this execution on a thread that waits in the
// middle of another; and if the thread ends and has no state any more.
class thread_scratchpad {
public:
    explicit thread_scratchpad(size_t bytes) noexcept { // 0: there is no scratchpad
        if (bytes != 0) take(bytes);
    }
    thread_scratchpad(const thread_scratchpad &) = delete;
    thread_scratchpad &operator=(const thread_scratchpad &) = delete;
    ~thread_scratchpad() {
        if (in_use_ != nullptr) *in_use_ = false;
    }

    // At least so many bytes, aligned to 64, with undefined content. Null if memory is out or 0 bytes were asked for.
    void *data() const { return data_; }

private:
    void take(size_t bytes) noexcept;

    void *data_ = nullptr;
    bool *in_use_ = nullptr; // the flag of the thread's buffer, if that is used; otherwise null
    aligned_bytes own_;      // the execution's own buffer, if it has one
};

// Frees the calling thread's buffer, unless an execution on this thread is using it.
void free_thread_scratchpad() noexcept;

} // namespace jitnorm::impl
