// SPDX-License-Identifier: Apache-2.0
// The copies and the medians.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "race/copies.hpp"
#include "race/interleave.hpp"

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

TEST(race_interleave, median_is_the_middle_or_between_the_two) {
    EXPECT_EQ(median_of({3}), 3);
    EXPECT_EQ(median_of({9, 1, 2}), 2);
    EXPECT_EQ(median_of({4, 1, 8, 2}), 3);
}

TEST(race_interleave, every_body_runs_in_every_round) {
    std::vector<int64_t> runs(3);
    const std::vector<body> bodies{[&] { ++runs[0]; }, [&] { ++runs[1]; }, [&] { ++runs[2]; }};
    const std::vector<double> medians = interleaved_medians(bodies, 5);
    ASSERT_EQ(medians.size(), 3);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_GE(runs[i], 10); // a block and an untimed call in each round
        EXPECT_GT(medians[i], 0);
    }
}

} // namespace
} // namespace benchdnn_lite
