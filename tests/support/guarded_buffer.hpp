// SPDX-License-Identifier: Apache-2.0
// guarded_buffer: memory between two inaccessible pages. The buffer touches one of them, so that an access one byte too
// far crashes. Between the buffer and the other page are canaries. All bytes are CANARY at first, so that a test finds
// what was never written.
#pragma once

#include <cstddef>

namespace jitnorm::tests {

enum class guard_side { after, before }; // which guard the buffer touches

class guarded_buffer {
public:
    static constexpr unsigned char CANARY = 0x7F;

    guarded_buffer() = default; // no memory at all
    explicit guarded_buffer(size_t size, guard_side side = guard_side::after);
    guarded_buffer(guarded_buffer &&other) noexcept { swap(other); }
    guarded_buffer &operator=(guarded_buffer &&other) noexcept {
        swap(other);
        return *this;
    }
    ~guarded_buffer();

    void *data() const { return data_; }
    size_t bytes() const { return bytes_; }
    template <typename T>
    T *as() const {
        return reinterpret_cast<T *>(data_);
    }

    // False if something was written between the buffer and the guard that it does not touch.
    bool slack_untouched() const;

    // From now on a write crashes, too. For the inputs of a test.
    void make_read_only() const;

private:
    void swap(guarded_buffer &other) noexcept;

    unsigned char *inner_ = nullptr, *data_ = nullptr; // whole pages between the guards; the buffer in them
    size_t pages_ = 0, bytes_ = 0;
    mutable bool is_read_only_ = false;
};

} // namespace jitnorm::tests
