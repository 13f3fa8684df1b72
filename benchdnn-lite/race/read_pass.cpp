// SPDX-License-Identifier: Apache-2.0
// Reads a result as its next user would.
#include "read_pass.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cstring>

namespace benchdnn_lite {

namespace {

constexpr size_t LINE = 64, WORD = sizeof(uint64_t);

__m128i two_words_at(const char *from) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)); }

uint64_t word_at(const char *from) {
    uint64_t word;
    std::memcpy(&word, from, WORD);
    return word;
}

// The sum of the words of `count` lines. Four independent sums are fast enough that memory takes the time, not the
// additions.
uint64_t read_lines(const char *first, size_t count) {
    __m128i a = _mm_setzero_si128(), b = a, c = a, d = a;
    for (const char *line = first; line < first + count * LINE; line += LINE) {
        a = _mm_add_epi64(a, two_words_at(line));
        b = _mm_add_epi64(b, two_words_at(line + 16));
        c = _mm_add_epi64(c, two_words_at(line + 32));
        d = _mm_add_epi64(d, two_words_at(line + 48));
    }
    const __m128i sum = _mm_add_epi64(_mm_add_epi64(a, b), _mm_add_epi64(c, d));
    return uint64_t(_mm_cvtsi128_si64(sum)) + uint64_t(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum)));
}

} // namespace

uint64_t read_words(const void *data, size_t bytes, int threads) {
    const auto *first = static_cast<const char *>(data);
    const size_t lines = bytes / LINE, share = lines / size_t(threads) + 1;
    uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(+ : sum) if (threads > 1)
    for (int part = 0; part < threads; ++part) {
        const size_t begin = std::min(lines, size_t(part) * share), end = std::min(lines, begin + share);
        sum += read_lines(first + begin * LINE, end - begin);
    }
    for (size_t at = lines * LINE; at + WORD <= bytes; at += WORD) sum += word_at(first + at);
    return sum;
}

uint64_t read_outputs(const execution &e, int threads) {
    uint64_t sum = 0;
    for (const argument &a : e.arguments())
        if (a.use == role::output || a.use == role::both) sum += read_words(a.data.data(), a.data.size(), threads);
    return sum;
}

} // namespace benchdnn_lite
