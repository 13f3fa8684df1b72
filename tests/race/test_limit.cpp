// SPDX-License-Identifier: Apache-2.0
// The limit, the pass that reads, and the rounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <set>

#include "cli/command_line.hpp"
#include "correctness/fill.hpp"
#include "race/limit.hpp"
#include "race/loops.hpp"
#include "race/race.hpp"

namespace benchdnn_lite {
namespace {

using bytes = std::vector<unsigned char>;

bytes bytes_of(const execution &e, int id) {
    const auto *const first = static_cast<const unsigned char *>(e.data(id).data());
    return {first, first + e.data(id).size()};
}

problem described(const std::vector<std::string> &words) {
    std::vector<std::string> arguments{"--lnorm"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return parse_command_line(arguments).jobs[0].prb;
}

// Runs `check` with the loops for each instruction set that this processor has.
template <typename Check>
void with_each_instruction_set(const Check &check) {
    for (const auto isa : {jitnorm_cpu_isa_default, jitnorm_cpu_isa_avx2}) {
        jitnorm_set_max_cpu_isa(isa);
        check();
    }
    jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default);
}

template <typename Check>
void with_each_way(const std::vector<std::string> &words, const Check &check) {
    const session s;
    const execution e(s, described(words));
    with_each_instruction_set([&] {
        for (const int threads : {1, 3, 7})
            for (const way_to_move &way : ways_to_move(e, threads)) {
                SCOPED_TRACE(way.name);
                fill(e, fill_kind::random, 1);
                check(e, way);
            }
    });
}

TEST(race_limit, an_output_receives_the_data_of_its_input) {
    const struct {
        std::vector<std::string> words;
        std::vector<std::pair<int, int>> outputs; // and their inputs
    } cases[] = {{{"13x64"}, {{JITNORM_ARG_DST, JITNORM_ARG_SRC}}},
                 {{"--attr-residual=src1+dst1", "13x64"},
                  {{JITNORM_ARG_DST, JITNORM_ARG_SRC}, {JITNORM_ARG_DST_1, JITNORM_ARG_SRC_1}}},
                 {{"--dir=BWD_D", "--attr-residual=dst1", "13x64"}, {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST}}},
                 {{"--dir=BWD_D", "--attr-residual=src1+dst1", "--attr-modulation=gate:1", "13x64"},
                  {{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST}, {JITNORM_ARG_DIFF_SRC_1, JITNORM_ARG_SRC}}}};
    for (const auto &c : cases)
        with_each_way(c.words, [&](const execution &e, const way_to_move &way) {
            way.move();
            for (const auto &[output, input] : c.outputs) EXPECT_EQ(bytes_of(e, output), bytes_of(e, input));
        });
}

TEST(race_limit, inputs_keep_their_data_in_place_too) {
    for (const std::vector<std::string> &words :
         {std::vector<std::string>{"13x65"},
          {"--inplace=true", "13x64"},
          {"--inplace=true", "--attr-residual=src1+dst1", "13x64"},
          {"--dir=BWD_D", "--inplace=true", "13x64"},
          {"--dir=BWD_D", "--inplace=true", "--attr-residual=src1+dst1", "--attr-modulation=gate:1", "13x64"},
          {"--dt=bf16:s8", "--attr-residual=src1:f32+dst1", "--attr-pre-quantization=dst2", "13x64"}})
        with_each_way(words, [](const execution &e, const way_to_move &way) {
            std::vector<bytes> before;
            for (const argument &a : e.arguments())
                if (a.use != role::output) before.push_back(bytes_of(e, a.id));
            way.move();
            size_t i = 0;
            for (const argument &a : e.arguments()) {
                EXPECT_TRUE(a.data.guards_intact());
                if (a.use == role::output) continue;
                EXPECT_EQ(bytes_of(e, a.id), before[i++]) << a.id;
            }
        });
}

TEST(race_limit, tensors_of_several_types_are_written_to_the_end) {
    with_each_way({"--dt=bf16:s8", "--attr-residual=src1:f32+dst1", "13x64"},
                  [](const execution &e, const way_to_move &way) {
                      way.move();
                      for (const int id : {JITNORM_ARG_DST, JITNORM_ARG_DST_1}) {
                          const bytes written = bytes_of(e, id);
                          for (size_t line = 0; line < written.size() / LINE; ++line)
                              EXPECT_NE(bytes(LINE, 0xff), bytes(&written[line * LINE], &written[line * LINE] + LINE));
                      }
                  });
}

TEST(race_limit, one_way_is_memcpy_where_there_are_two_tensors) {
    const session s;
    const auto names = [&](const std::vector<std::string> &words, int threads) {
        const execution e(s, described(words));
        std::vector<std::string> all;
        for (const way_to_move &way : ways_to_move(e, threads)) all.push_back(way.name);
        return all;
    };
    const std::vector<std::string> loops{"ordinary stores", "non-temporal stores"};
    if (!best_loops()) GTEST_SKIP() << "no AVX2";
    EXPECT_EQ(names({"4x64"}, 1), (std::vector<std::string>{"memcpy", loops[0], loops[1]}));
    EXPECT_EQ(names({"--dir=BWD_D", "4x64"}, 1), loops);
    EXPECT_EQ(names({"--inplace=true", "4x64"}, 1), loops);
    EXPECT_EQ(names({"--dt=f32:bf16", "4x64"}, 2),
              (std::vector<std::string>{loops[0], loops[0] + " by threads", loops[1], loops[1] + " by threads"}));
}

// Another mask shows which tensors are read.
TEST(race_limit, every_input_is_read) {
    with_each_instruction_set([] {
        const loops *best = best_loops();
        if (!best) return;
        for (const bool alike : {true, false})
            for (const bool non_temporal : {true, false}) {
                alignas(LINE) std::array<std::array<char, LINE>, 4> lines{};
                for (size_t i = 0; i < 3; ++i) lines[i].fill(char(1 << i));
                moved_tensors t;
                for (size_t i = 0; i < 3; ++i) t.read[i].data = lines[i].data();
                t.written[0].data = lines[3].data();
                t.inputs = 3, t.outputs = 1, t.mask = UINT64_MAX, t.are_alike = alike;
                best->move(t, non_temporal, 0, 1);
                std::array<char, LINE> all;
                all.fill(7);
                EXPECT_EQ(lines[3], all);
            }
    });
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
    const std::vector<spread> measured = interleaved(bodies, 1, 5);
    ASSERT_EQ(measured.size(), 3);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_GE(runs[i], 10); // a block and an untimed call in each round
        EXPECT_GT(measured[i].lower_third, 0);
        EXPECT_EQ(measured[i].count, 5u);
    }
}

// Places of the bodies 0 and from 5 - peers on, in as many rounds as there are contestants.
TEST(race_interleave, contestants_have_the_places_of_all_contestants_before_an_order_is_drawn) {
    for (const size_t peers : {0, 1, 2}) {
        turns order(5, peers);
        std::set<std::vector<size_t>> drawn;
        for (int pass = 0; pass < 10; ++pass) {
            const std::vector<size_t> first = order.next_round();
            drawn.insert(first);
            std::vector<std::set<size_t>> seen(5);
            for (size_t i = 0; i < 5; ++i) seen[i].insert(first[i]);
            for (size_t round = 0; round < peers; ++round)
                for (size_t i = 0; const size_t next : order.next_round()) seen[i++].insert(next);
            for (size_t i = 0; i < 5; ++i)
                EXPECT_EQ(seen[i].size(), first[i] == 0 || first[i] >= 5 - peers ? 1 + peers : 1) << peers << ' ' << i;
        }
        EXPECT_GT(drawn.size(), 1u);
    }
}

} // namespace
} // namespace benchdnn_lite
