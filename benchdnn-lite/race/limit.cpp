// SPDX-License-Identifier: Apache-2.0
// Moves and reads the tensors of an execution.
#include "limit.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <emmintrin.h>

#include "../problem/threads.hpp"
#include "loops.hpp"

namespace benchdnn_lite {

namespace {

using move_part = std::function<void(size_t begin, size_t end)>; // of the steps

body by_threads(const move_part &move, size_t steps, int threads) {
    return [=] {
        share_among_threads(int64_t(steps), threads,
                            [&](int64_t, int64_t begin, int64_t end) { move(size_t(begin), size_t(end)); });
    };
}

// Tensors in one memory have the same position among inputs and outputs, so that each receives its own data.
moved_tensors rows_of(const execution &e) {
    const std::vector<used_tensor> rows = e.prb().row_tensors();
    size_t smallest = SIZE_MAX;
    for (const used_tensor &t : rows) smallest = std::min(smallest, size_of(t.type));
    moved_tensors all;
    for (const used_tensor &t : rows) {
        const buffer &b = e.data(t.id);
        moved_tensors::tensor &to = t.is_output ? all.written.at(all.outputs++) : all.read.at(all.inputs++);
        to = {static_cast<char *>(b.data()), size_of(t.type) / smallest};
        all.are_alike = all.are_alike && to.lines == 1;
        all.steps = std::min(all.steps, b.size() / (to.lines * LINE));
    }
    return all;
}

constexpr size_t WORD = sizeof(uint64_t);

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

std::vector<way_to_move> ways_to_move(const execution &e, int threads) {
    const moved_tensors tensors = rows_of(e);
    const bool is_copy = tensors.are_alike && tensors.inputs == 1 && tensors.outputs == 1 && !e.prb().in_place;
    std::vector<way_to_move> ways;
    const auto add = [&](const std::string &name, const move_part &move) {
        ways.push_back({name, by_threads(move, tensors.steps, 1)});
        if (threads > 1) ways.push_back({name + " by threads", by_threads(move, tensors.steps, threads)});
    };
    if (is_copy)
        add("memcpy", [from = tensors.read[0].data, to = tensors.written[0].data](size_t begin, size_t end) {
            std::memcpy(to + begin * LINE, from + begin * LINE, (end - begin) * LINE);
        });
    if (const loops *best = best_loops()) {
        add("ordinary stores", [=](size_t begin, size_t end) { best->move(tensors, false, begin, end); });
        add("non-temporal stores", [=](size_t begin, size_t end) { best->move(tensors, true, begin, end); });
    }
    return ways;
}

uint64_t read_words(const void *data, size_t bytes, int threads) {
    const auto *first = static_cast<const char *>(data);
    const size_t lines = bytes / LINE;
    std::atomic<uint64_t> sum = 0;
    share_among_threads(int64_t(lines), threads, [&](int64_t, int64_t begin, int64_t end) {
        sum += read_lines(first + size_t(begin) * LINE, size_t(end - begin));
    });
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
