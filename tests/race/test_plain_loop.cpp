// SPDX-License-Identifier: Apache-2.0
// The plain loop as the peer: the same results, or a note that says what it does not have.
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
            race_plain({"against a plain loop, 1 thread.", "forward: 84 of 84 raced"},
                       {"--dir=FWD_D,FWD_I", "--dt=f32,bf16", "--flags=,C,H,CH,M,CM,CHM", "--inplace=" + in_place,
                        "--attr-residual=" + residual, "7x5", "5x29", "4x219"});
}

TEST_P(race_plain_loop, threads_share_the_rows) {
    race_plain({"forward: 2 of 2 raced"}, {"--threads=3", "--flags=CH", "2x40", "10x40"});
}

TEST_P(race_plain_loop, says_what_it_does_not_have) {
    const struct {
        std::vector<std::string> knobs;
        std::string reason;
    } cases[] = {
        {{"--dir=BWD_D"}, "no backward"},
        {{"--dt=f16"}, "only f32 rows or bf16 rows"},
        {{"--dt=f32:bf16"}, "only f32 rows or bf16 rows"},
        {{"--flags=G"}, "of the flags only C, H and M"},
        {{"--flags=CP"}, "of the flags only C, H and M"},
        {{"--flags=C", "--ss_dt=bf16"}, "only f32 scale and shift"},
        {{"--attr-post-ops=relu"}, "of the attributes only a residual"},
        {{"--attr-residual=src1"}, "a residual has a sum that is kept, and no bias"},
        {{"--attr-residual=src1+dst1+bias"}, "a residual has a sum that is kept, and no bias"},
        {{"--attr-residual=src1:bf16+dst1"}, "only one type of rows"},
        {{"--tag=ba"}, "only dense rows"},
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
    race_plain({"(refused: no AVX2)"}, {"3x40"});
    jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default);
}

} // namespace
} // namespace benchdnn_lite
