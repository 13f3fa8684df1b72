// SPDX-License-Identifier: Apache-2.0
// Ways to copy memory.
#include "copies.hpp"

#include <algorithm>
#include <cstring>

#include <emmintrin.h>

namespace benchdnn_lite {

namespace {

constexpr size_t LINE = 64;

void stream_line(char *to, const char *from) {
    auto *target = reinterpret_cast<__m128i *>(to);
    const auto *source = reinterpret_cast<const __m128i *>(from);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
}

} // namespace

void stream_copy(void *to, const void *from, size_t bytes) {
    char *target = static_cast<char *>(to);
    const char *source = static_cast<const char *>(from);
    const size_t head = std::min(bytes, (LINE - reinterpret_cast<uintptr_t>(target) % LINE) % LINE);
    const size_t end = bytes - (bytes - head) % LINE;
    std::memcpy(target, source, head);
    for (size_t i = head; i < end; i += LINE) stream_line(target + i, source + i);
    std::memcpy(target + end, source + end, bytes - end);
    _mm_sfence();
}

copies::copies(size_t bytes, int threads) : bytes_(bytes), threads_(threads), from_(bytes), to_(bytes) {
    std::memset(from_.data(), 1, bytes); // gives the source pages of its own
}

template <typename Copy>
void copies::by_threads(Copy copy) const {
    const size_t share = (bytes_ / size_t(threads_) + LINE) / LINE * LINE;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int part = 0; part < threads_; ++part) {
        const size_t begin = std::min(bytes_, size_t(part) * share), end = std::min(bytes_, begin + share);
        copy(static_cast<char *>(to_.data()) + begin, static_cast<const char *>(from_.data()) + begin, end - begin);
    }
}

void copies::memcpy_alone() const { std::memcpy(to_.data(), from_.data(), bytes_); }
void copies::memcpy_by_threads() const { by_threads(std::memcpy); }
void copies::stream_by_threads() const { by_threads(stream_copy); }

bool copies::target_equals_source() const { return std::memcmp(to_.data(), from_.data(), bytes_) == 0; }
void copies::clear_target() const { std::memset(to_.data(), 0, bytes_); }

} // namespace benchdnn_lite
