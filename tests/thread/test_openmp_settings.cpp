// SPDX-License-Identifier: Apache-2.0
// Whatever OpenMP's environment says, executions have the bits of one thread. CMakeLists.txt runs this program with one
// setting after the other, because OpenMP's runtime reads its environment when it starts. EXPECTED_TEAM says how many
// threads a team then has: a team of one is no parallel region for OpenMP, but its thread runs all parts.
#include <gtest/gtest.h>

#include <omp.h>

#include <cstdlib>

#include "api/parts_with_numbers.hpp"
#include "drawn_work.hpp"

using namespace jitnorm::tests;

namespace {

int team_size() {
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

TEST(openmp_setting, gives_teams_of_the_size_that_this_is_about) {
    const char *expected = std::getenv("EXPECTED_TEAM");
    if (expected == nullptr) GTEST_SKIP() << "no size is expected";
    EXPECT_EQ(team_size(), std::atoi(expected));
}

// A pool as frameworks have that use OpenMP themselves.
void on_openmp(void *, int count, void (*body)(void *, int), void *argument) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < count; ++i) body(argument, i);
}

constexpr jitnorm_thread_pool_t POOL_ON_OPENMP = {on_openmp, nullptr, 5};

std::vector<drawn_work> works() {
    constexpr auto FORWARD = jitnorm_forward_training, BACKWARD = jitnorm_backward;
    std::vector<drawn_work> all = {
        {.name = "forward", .kind = FORWARD, .sizes = {3, 300, 515}},
        {.name = "forward_packed", .kind = FORWARD, .sizes = {3, 300, 515}, .order = "cab"},
        {.name = "forward_long_rows", .kind = FORWARD, .sizes = {1, 2, 140003}},
        {.name = "forward_residual", .kind = FORWARD, .sizes = {3, 300, 515}, .adds = true, .has_operand = true},
        {.name = "forward_scales", .kind = FORWARD, .sizes = {3, 300, 515}, .finds_scales = true},
        {.name = "forward_open", .kind = FORWARD, .sizes = {3, 300, 515}, .order = "cab", .open = true},
        {.name = "backward", .kind = BACKWARD, .sizes = {3, 300, 515}},
        {.name = "backward_packed", .kind = BACKWARD, .sizes = {3, 300, 515}, .order = "cab"},
        {.name = "backward_long_rows", .kind = BACKWARD, .sizes = {1, 2, 140003}},
        {.name = "backward_merged_gradients", .kind = BACKWARD, .sizes = {1, 8192, 128}},
        {.name = "backward_many_columns", .kind = BACKWARD, .sizes = {1, 100, 9000}},
        {.name = "backward_sums", .kind = BACKWARD, .sizes = {3, 300, 515}, .adds = true},
        {.name = "backward_open", .kind = BACKWARD, .sizes = {3, 300, 515}, .open = true},
        {.name = "groups_large", .kind = BACKWARD, .sizes = {2, 2112, 200}, .scale = 1},
        {.name = "groups_are_rows", .kind = BACKWARD, .sizes = {20, 100, 256}, .scale = 3},
        {.name = "groups_open", .kind = FORWARD, .sizes = {64, 300, 64}, .order = "acb", .scale = 1, .open = true},
    };
    for (drawn_work w : std::initializer_list<drawn_work>{
             {.name = "forward", .kind = FORWARD, .sizes = {64, 512, 64}, .scale = 1},
             {.name = "forward_packed", .kind = FORWARD, .sizes = {64, 512, 64}, .order = "acb", .scale = 1},
             {.name = "forward_gate", .kind = FORWARD, .sizes = {64, 600, 64}, .order = "acb", .scale = 1, .gate = 1},
             {.name = "backward", .kind = BACKWARD, .sizes = {64, 2112, 16}, .scale = 1},
             {.name = "backward_packed", .kind = BACKWARD, .sizes = {64, 2112, 16}, .order = "acb", .scale = 1},
             {.name = "small", .kind = BACKWARD, .sizes = {40, 80, 256}, .scale = 1},
             {.name = "gradient_of_gate", .kind = BACKWARD, .sizes = {64, 2112, 16}, .gate = 1},
         }) {
        w.name = "groups_" + w.name;
        w.adds = w.has_gate();
        w.takes_groups = true;
        all.push_back(w);
    }
    return all;
}

class openmp_settings : public testing::TestWithParam<drawn_work> {
protected:
    drawn_execution e_{GetParam()};
    std::map<int, bytes> expected_ = by_one_thread(e_);
};

TEST_P(openmp_settings, keep_the_bits_of_one_thread) {
    if (e_.implementation() != std::string("ref:any")) {
        EXPECT_EQ(plans_to_share_groups(GetParam()), GetParam().takes_groups);
    }
    const owned_stream own = make_stream(), pool = make_stream(POOL_ON_OPENMP);
    EXPECT_TRUE(e_.run_on(own) == expected_);
    EXPECT_TRUE(e_.run_on(pool) == expected_) << "on a pool";
    bool same = false; // in a region of the program's own, of which a single thread may use the library's threads
#pragma omp parallel
#pragma omp single
    same = e_.run_on(own) == expected_;
    EXPECT_TRUE(same) << "in a parallel region";
}

INSTANTIATE_TEST_SUITE_P(works, openmp_settings, testing::ValuesIn(works()),
                         [](const auto &instance) { return instance.param.name; });

// The whole on one thread and its parts on the library's threads, or on a pool's.
class parts_on_openmp : public parts_with_numbers {
public:
    parts_on_openmp(const std::vector<split_tensor> &tensors, const owned_stream &of_parts)
        : parts_with_numbers(tensors), of_parts_(of_parts) {}
    jitnorm_stream_t stream() override { return calls_++ == 0 ? alone_ : of_parts_; }

private:
    owned_stream alone_ = make_stream({nullptr, nullptr, 1});
    const owned_stream &of_parts_;
    int calls_ = 0;
};

TEST(openmp_setting, keeps_the_bits_of_partial_problems) {
    const owned_stream own = make_stream(), pool = make_stream(POOL_ON_OPENMP);
    for (const owned_stream *stream : {&own, &pool}) {
        for (const split_shape &s : {split_shape{4096, 200}, {16384, 30}}) {
            parts_on_openmp memory(tensors_by_rows(s), *stream);
            rows_must_match(s, {s.rows / 4, 0, s.rows / 2, s.rows / 4}, memory);
        }
        for (const split_shape &s : {split_shape{20, 20480}, {3, 102400}}) {
            parts_on_openmp memory(tensors_by_columns(s), *stream);
            columns_must_match(s, {s.columns / 5, s.columns / 5 * 3, s.columns / 5}, memory);
        }
    }
}

} // namespace
