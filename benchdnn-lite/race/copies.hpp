// SPDX-License-Identifier: Apache-2.0
// copies: ways to copy memory. The time of the fastest is the limit for a normalization that moves as many bytes.
#pragma once

#include "../problem/buffer.hpp"

namespace benchdnn_lite {

// Copies `bytes` bytes. Whole lines of 64 bytes are written with non-temporal stores in the order of their addresses.
// The bytes of `to` before the first whole line and after the last are copied with memcpy().
void stream_copy(void *to, const void *from, size_t bytes);

// Owns a source and a target of `bytes` bytes each. The functions *_by_threads copy with `threads` threads.
class copies {
public:
    copies(size_t bytes, int threads);

    void memcpy_alone() const;
    void memcpy_by_threads() const;
    void stream_by_threads() const;

    const void *target() const { return to_.data(); }
    size_t bytes() const { return bytes_; }
    bool target_equals_source() const;
    void clear_target() const;

private:
    template <typename Copy>
    void by_threads(Copy copy) const;

    size_t bytes_;
    int threads_;
    guarded_bytes from_, to_;
};

} // namespace benchdnn_lite
