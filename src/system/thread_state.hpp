// SPDX-License-Identifier: Apache-2.0
// thread_state: all that the library keeps for a thread, behind one pointer. Thread-local storage of a shared library
// is scarce and has the size of everything in it; and objects in it are destroyed before the thread's last code has
// run.
#pragma once

#include "aligned_bytes.hpp"

namespace jitnorm::impl {

struct thread_state {
    struct {
        aligned_bytes data;
        size_t size = 0;
        bool in_use = false;
    } scratchpad; // thread_scratchpad.hpp

    struct {
        char text[512] = {};  // "<function>: <status>: <reason>"; empty: no call has failed
        size_t reason = 0;    // where in the text the reason begins
        bool is_news = false; // the two-phase calls' message has not been asked for since
    } error;                  // last_error.hpp

    char explanation[320] = {}; // what explain() wrote
};

// The calling thread's, made at the first call. Null when memory is out or the system has no place to remember it, and
// in a thread that ends once its state is freed (destructors of other pthread keys may still execute): callers do
// without. The main thread's is there in exit handlers.
thread_state *state_of_this_thread() noexcept;

// The same, but null where it has not been made.
thread_state *existing_state_of_this_thread() noexcept;

// Whether the calling thread ends and its state is freed. What others keep for it, OpenMP's runtime for one, may be
// gone as well.
bool this_thread_ends() noexcept;

} // namespace jitnorm::impl
