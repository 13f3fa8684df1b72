// SPDX-License-Identifier: Apache-2.0
// The copies and the medians.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>

#include "race/copies.hpp"
#include "race/interleave.hpp"
#include "race/read_pass.hpp"

namespace benchdnn_lite {
namespace {

TEST(race_copies, stream_copy_writes_its_bytes_and_no_others) {
    constexpr size_t ROOM = 512;
    alignas(64) std::array<unsigned char, ROOM> from{}, to{};
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
    for (const size_t offset : {0, 1, 17, 63})
        for (const size_t other : {0, 5})
            for (size_t bytes = 0; bytes <= 200; ++bytes) {
                to.fill(0);
                stream_copy(to.data() + offset, from.data() + other, bytes);
                for (size_t i = 0; i < ROOM; ++i) {
                    const bool copied = i >= offset && i < offset + bytes;
                    ASSERT_EQ(to[i], copied ? from[i - offset + other] : 0)
                        << "byte " << i << ", offsets " << offset << " and " << other << ", " << bytes << " bytes";
                }
            }
}

TEST(race_copies, any_number_of_threads_copies_any_size) {
    for (const size_t bytes : {size_t(1), size_t(63), size_t(64), size_t(1000), size_t(100'000)})
        for (const int threads : {1, 2, 3, 7}) {
            copies c(bytes, threads);
            c.memcpy_alone();
            ASSERT_TRUE(c.target_equals_source()) << bytes;
            c.clear_target();
            ASSERT_FALSE(c.target_equals_source()) << bytes;
            c.memcpy_by_threads();
            ASSERT_TRUE(c.target_equals_source()) << bytes << " bytes, " << threads << " threads";
            c.clear_target();
            c.stream_by_threads();
            ASSERT_TRUE(c.target_equals_source()) << bytes << " bytes, " << threads << " threads";
        }
}

TEST(race_read_pass, every_word_is_read_once) {
    std::array<uint64_t, 100> words;
    std::iota(words.begin(), words.end(), uint64_t(1) << 32);
    const uint64_t high = uint64_t(1) << 32;
    for (const int threads : {1, 3})
        for (const size_t count : {0, 1, 7, 100}) {
            const uint64_t expected = count * high + (count > 0 ? count * (count - 1) / 2 : 0);
            EXPECT_EQ(read_words(words.data(), count * 8 + (count < 100 ? 5 : 0), threads), expected) << count;
        }
}

TEST(race_read_pass, outputs_are_read_and_inputs_are_not) {
    const session s;
    problem p;
    p.size.dims = {4, 8};
    p.dir = direction::FWD_I;
    const execution e(s, p);
    const auto fill_with = [&](int id, int byte) { std::memset(e.data(id).data(), byte, e.data(id).size()); };
    fill_with(JITNORM_ARG_SRC, 1);
    fill_with(JITNORM_ARG_DST, 0);
    EXPECT_EQ(read_outputs(e, 1), 0u);
    fill_with(JITNORM_ARG_DST, 1);
    EXPECT_EQ(read_outputs(e, 2), 16 * 0x0101010101010101u);
}

TEST(race_interleave, every_body_runs_in_every_round) {
    std::vector<int64_t> runs(3);
    const std::vector<body> bodies{[&] { ++runs[0]; }, [&] { ++runs[1]; }, [&] { ++runs[2]; }};
    const std::vector<spread> measured = interleaved(bodies, 5);
    ASSERT_EQ(measured.size(), 3);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_GE(runs[i], 10); // a block and an untimed call in each round
        EXPECT_GT(measured[i].median, 0);
        EXPECT_EQ(measured[i].count, 5u);
    }
}

} // namespace
} // namespace benchdnn_lite
