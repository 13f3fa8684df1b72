// SPDX-License-Identifier: Apache-2.0
// thread_state: everything that the library keeps for a thread, behind one pointer. The objects themselves are not in
// thread-local storage: for a shared library that is scarce, and objects in it are destroyed before the thread runs its
// last code.
#pragma once

#include "bytes.hpp"

namespace jitnorm::impl {

struct thread_state {
    struct {
        aligned_bytes data;
        size_t size = 0;
        bool in_use = false;
    } scratchpad; // thread_scratchpad

    struct {
        char text[512] = {};  // "<function>: <status>: <reason>"; empty: no call has failed
        size_t reason = 0;    // the index in the text at which the reason begins
        bool is_news = false; // whether take_last_error() still has to return this error
    } error;                  // status.hpp

    char explanation[400] = {}; // the text of explain()
};

// The calling thread's state, which the first call makes. Null if memory is out, if the system has no pthread key for
// it, and after it has been freed in a thread that ends, where destructors of other pthread keys may still call the
// library. Callers must work without it. The main thread still has its state in exit handlers.
thread_state *state_of_this_thread() noexcept;

// The same, but null if the state has not been made.
thread_state *existing_state_of_this_thread() noexcept;

// Whether the thread is ending and its state has been freed. Then OpenMP's runtime may have freed its data, too.
bool this_thread_ends() noexcept;

// ---- The scratchpads that the library owns. Each thread that calls executions has one buffer, which all primitives
// share, so that several threads may execute one primitive at once without a lock. The buffer grows when an execution
// needs more than those before it, and is freed when the thread ends.

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
