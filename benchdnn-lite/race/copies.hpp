// SPDX-License-Identifier: Apache-2.0
// copies: ways to copy memory. The fastest of them is what a normalization that moves the same bytes can hope for.
#pragma once

#include "../problem/buffer.hpp"

namespace benchdnn_lite {

// Writes whole lines of 64 bytes in the order of their addresses, with non-temporal stores; what is left of
// `to` before the first line and after the last is copied plainly.
void stream_copy(void *to, const void *from, size_t bytes);

// Source and target of copies, `bytes` each.
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
