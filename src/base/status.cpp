// SPDX-License-Identifier: Apache-2.0
#include "status.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "thread_state.hpp"

namespace jitnorm::impl {

namespace {

constexpr const char *NO_ROOM = "there is no memory for the reason";

// The last reason of a thread that has no state. It is one pointer in static thread storage, like that of thread_state.
[[gnu::tls_model("initial-exec")]] thread_local constinit const char *reason_without_state = "";

} // namespace

const char *explain(const char *format, ...) noexcept {
    thread_state *state = state_of_this_thread();
    if (state == nullptr) return NO_ROOM;
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(state->explanation, sizeof state->explanation, format, values);
    va_end(values);
    return state->explanation;
}

void name_list::add(const char *name) noexcept {
    const int more = std::snprintf(text_ + size_, sizeof text_ - size_, size_ == 0 ? "%s" : ", %s", name);
    size_ = std::min(size_ + size_t(std::max(more, 0)), sizeof text_ - 1);
}

void remember_error(const char *function, std::string_view code, const char *reason) noexcept {
    thread_state *state = state_of_this_thread();
    if (state == nullptr) {
        reason_without_state = NO_ROOM;
        return;
    }
    auto &error = state->error;
    const int before =
        std::snprintf(error.text, sizeof error.text, "%s: %.*s: ", function, int(code.size()), code.data());
    error.reason = std::min(size_t(std::max(before, 0)), sizeof error.text - 1);
    std::snprintf(error.text + error.reason, sizeof error.text - error.reason, "%s", reason);
    error.is_news = true;
}

const char *last_reason() noexcept {
    const thread_state *state = existing_state_of_this_thread();
    return state == nullptr ? reason_without_state : state->error.text + state->error.reason;
}

const char *take_last_error() noexcept {
    thread_state *state = existing_state_of_this_thread();
    if (state == nullptr || !state->error.is_news) return nullptr;
    state->error.is_news = false;
    return state->error.text;
}

} // namespace jitnorm::impl
