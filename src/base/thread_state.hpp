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
    } scratchpad; // thread_scratchpad.hpp

    struct {
        char text[512] = {};  // "<function>: <status>: <reason>"; empty: no call has failed
        size_t reason = 0;    // the index in the text at which the reason begins
        bool is_news = false; // whether take_last_error() still has to return this error
    } error;                  // status.hpp

    char explanation[320] = {}; // what explain() wrote
};

// The calling thread's state, which the first call makes. Null if memory is out, if the system has no pthread key for
// it, and after it has been freed in a thread that ends, where destructors of other pthread keys may still call the
// library. Callers must work without it. The main thread still has its state in exit handlers.
thread_state *state_of_this_thread() noexcept;

// The same, but null if the state has not been made.
thread_state *existing_state_of_this_thread() noexcept;

// Whether the calling thread is ending and its state has been freed. Then OpenMP's runtime may have freed what it keeps
// for the thread, too.
bool this_thread_ends() noexcept;

} // namespace jitnorm::impl
