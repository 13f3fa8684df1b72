// SPDX-License-Identifier: Apache-2.0
// The plain loops as peers: the same results, or a note about what they lack.
#include "race/loops.hpp"
#include "raced.hpp"

namespace benchdnn_lite {
namespace {

void race_plain(const std::vector<std::string> &parts, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--plain", "--rounds=1"});
    expect(0, parts, nobody(), arguments);
}

class race_plain_loop : public testing::TestWithParam<jitnorm_cpu_isa_t> {
protected:
    race_plain_loop() { jitnorm_set_max_cpu_isa(GetParam()); }
    ~race_plain_loop() override { jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default); }
    void SetUp() override {
        if (!best_loops()) GTEST_SKIP() << "no AVX2";
    }
};

// Row lengths: nothing but a tail; vectors and a tail; four vectors at a time, vectors and a tail.
TEST_P(race_plain_loop, computes_what_the_library_computes) {
    for (const std::string residual : {"", "src1+dst1"})
        for (const std::string in_place : {"false", "true"})
            race_plain({"against the faster of two plain loops, 1 thread.", "forward: 84 of 84 raced"},
                       {"--dir=FWD_D,FWD_I", "--dt=f32,bf16", "--flags=,C,H,CH,M,CM,CHM", "--inplace=" + in_place,
                        "--attr-residual=" + residual, "7x5", "5x29", "4x219"});
}

const std::vector<std::string> KINDS[] = {{"--flags=CH"}, {"--flags=CM"}, {"--flags=CM", "--attr-residual=src1+dst1"}};

// Every knob, then the shapes, of three kinds and two types.
void race_kinds(std::vector<std::string> shapes) {
    const std::string raced = std::to_string(2 * shapes.size());
    for (std::vector<std::string> knobs : KINDS) {
        knobs.insert(knobs.begin(), {"--dir=FWD_D", "--dt=f32,bf16"});
        knobs.insert(knobs.end(), shapes.begin(), shapes.end());
        race_plain({"forward: " + raced + " of " + raced + " raced"}, knobs);
    }
}

// Lengths around one vector and around four, of 8 and of 16 floats.
TEST_P(race_plain_loop, takes_rows_of_any_length) {
    std::vector<std::string> shapes;
    for (const int vector : {8, 16})
        for (const int length : {vector - 1, vector, vector + 1, 4 * vector - 1, 4 * vector, 4 * vector + 1})
            shapes.push_back("9x" + std::to_string(length));
    race_kinds(shapes);
}

// Rows that are left over from bands and pairs, where bands have eight rows, four or two: up to 384 floats, up to 768,
// more; twice as many in bf16.
TEST_P(race_plain_loop, takes_rows_that_fill_no_band) {
    std::vector<std::string> shapes;
    for (const int length : {24, 384, 385, 768, 769, 1536, 1537, 3073})
        for (const int rows : {1, 2, 3, 7, 8, 13})
            shapes.push_back(std::to_string(rows) + "x" + std::to_string(length));
    race_kinds(shapes);
}

TEST_P(race_plain_loop, threads_share_the_rows) {
    race_plain({"forward: 2 of 2 raced"}, {"--threads=3", "--flags=CH", "2x40", "10x40"});
}

TEST_P(race_plain_loop, says_what_it_does_not_have) {
    const struct {
        std::vector<std::string> knobs;
        std::string reason;
    } cases[] = {
        {{"--dir=BWD_D"}, "only forward is supported"},
        {{"--dt=f16"}, "only rows of f32 or of bf16 are supported"},
        {{"--dt=f32:bf16"}, "only rows of f32 or of bf16 are supported"},
        {{"--flags=G"}, "only the flags C, H and M are supported"},
        {{"--flags=CP"}, "only the flags C, H and M are supported"},
        {{"--flags=C", "--ss_dt=bf16"}, "only f32 scale and shift are supported"},
        {{"--attr-post-ops=relu"}, "a residual is the only attribute that is supported"},
        {{"--attr-residual=src1"}, "a residual needs its sum as an output and no bias"},
        {{"--attr-residual=src1+dst1+bias"}, "a residual needs its sum as an output and no bias"},
        {{"--attr-residual=src1:bf16+dst1"}, "all rows must have one type"},
        {{"--tag=ba"}, "only dense rows are supported"},
    };
    for (const auto &c : cases) {
        std::vector<std::string> arguments = c.knobs;
        arguments.push_back("3x40");
        race_plain({"(refused: " + c.reason + ")"}, arguments);
    }
}

INSTANTIATE_TEST_SUITE_P(best, race_plain_loop, testing::Values(jitnorm_cpu_isa_default));
INSTANTIATE_TEST_SUITE_P(avx2, race_plain_loop, testing::Values(jitnorm_cpu_isa_avx2));

TEST(race_plain_loop_without_avx2, is_refused) {
    jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_sse41);
    race_plain({"(refused: the processor lacks AVX2)"}, {"3x40"});
    jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default);
}

} // namespace
} // namespace benchdnn_lite
