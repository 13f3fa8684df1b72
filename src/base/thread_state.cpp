// SPDX-License-Identifier: Apache-2.0
#include "thread_state.hpp"

#include <memory>
#include <new>

#include <pthread.h>

namespace jitnorm::impl {

namespace {

// Both are in static thread storage, which has room for a few bytes even when the library is loaded late. They have no
// destructors, so they can be read as long as the thread runs.
[[gnu::tls_model("initial-exec")]] thread_local constinit thread_state *mine = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit bool has_ended = false;

constinit pthread_key_t at_end_of_thread = 0;
constinit bool has_key = false;

void free_state(void *state) {
    delete static_cast<thread_state *>(state);
    mine = nullptr;
    has_ended = true; // no new state is made: a thread calls destructors a few times only, so it might never be freed
}

// Runs when the library is loaded, so that no thread can find it half done.
[[gnu::constructor(101)]] void make_key() { has_key = pthread_key_create(&at_end_of_thread, free_state) == 0; }

thread_state *make_state() noexcept {
    if (!has_key || has_ended) return nullptr;
    std::unique_ptr<thread_state> made(new (std::nothrow) thread_state);
    if (made == nullptr || pthread_setspecific(at_end_of_thread, made.get()) != 0) return nullptr;
    return mine = made.release();
}

bool grow(thread_state &state, size_t bytes) {
    auto &buffer = state.scratchpad;
    if (buffer.size >= bytes) return true;
    buffer.size = 0;
    buffer.data.reset(); // before the allocation: memory may not be enough for both buffers
    buffer.data = allocate_aligned(bytes);
    if (buffer.data != nullptr) buffer.size = bytes;
    return buffer.data != nullptr;
}

} // namespace

thread_state *existing_state_of_this_thread() noexcept { return mine; }

bool this_thread_ends() noexcept { return has_ended; }

thread_state *state_of_this_thread() noexcept { return mine != nullptr ? mine : make_state(); }

void thread_scratchpad::take(size_t bytes) noexcept {
    thread_state *state = state_of_this_thread();
    if (state == nullptr || state->scratchpad.in_use) {
        own_ = allocate_aligned(bytes);
        data_ = own_.get();
    } else if (grow(*state, bytes)) {
        in_use_ = &state->scratchpad.in_use;
        *in_use_ = true;
        data_ = state->scratchpad.data.get();
    }
}

void free_thread_scratchpad() noexcept {
    thread_state *state = existing_state_of_this_thread();
    if (state == nullptr || state->scratchpad.in_use) return;
    state->scratchpad.data.reset();
    state->scratchpad.size = 0;
}

} // namespace jitnorm::impl
