// SPDX-License-Identifier: Apache-2.0
// What prepare() plans for, and says of it; and that whatever differs in a problem is another key of the object cache.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <unistd.h>

#include "base/machine.hpp"
#include "dispatch/object_cache.hpp"
#include "dispatch/prepare.hpp"
#include "jitnorm/jitnorm.h"
#include "norm/row_groups.hpp"
#include "support/problems.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

// In a process of its own, where the environment is read. Exits with 0 if both plans are those for the given machine;
// prints the log where death tests look.
[[noreturn]] void prepare_twice(const char *caches, const machine &on) {
    setenv("JITNORM_CACHES", caches, 1);
    setenv("JITNORM_VERBOSE", "2", 1);
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    const auto is_planned = [&](const problem &p) {
        solution made;
        return prepare(p, made).code == jitnorm_success && made.plan == made.by->make_plan(p, on);
    };
    std::exit(is_planned(forward_problem()) && is_planned(backward_problem()) ? 0 : 1);
}

TEST(prepare, plans_for_the_caches_of_the_environment_and_says_so_before_the_first_plan) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const machine small = {.l2 = 1500, .last_level = 1600}, large = {.l2 = 1 << 20, .last_level = 1 << 30};
    for (const machine &m : {small, large})
        EXPECT_EXIT(prepare_twice(describe(m).c_str(), m), testing::ExitedWithCode(0),
                    "^(jitnorm_verbose,v1,refuse,[^\n]*\n)*jitnorm_verbose,v1,machine,[a-z]+.JITNORM_CACHES," +
                        describe(m) +
                        "\njitnorm_verbose,v1,plan,[^\n]*\n(jitnorm_verbose,v1,refuse,[^\n]*\n)*"
                        "jitnorm_verbose,v1,plan,[^\n]*\n$");
}

// Each group has a scale of its own.
problem in_groups(dim_t groups, dim_t rows, dim_t columns, const char *layout = "dense") {
    problem p = make_problem(setup{.dims = {groups, rows, columns}, .src = layout, .dst = layout});
    p[SCALE] = dense({groups, 1, columns});
    return p;
}

// Threads take whole groups where a group is not worth several threads, or there are many groups.
TEST(prepare, groups_of_rows_at_once) {
    const auto made_for = [](const problem &p) {
        solution made;
        EXPECT_EQ(prepare(p, made).code, jitnorm_success);
        return made;
    };
    if (made_for(in_groups(20, 25, 1024)).by->name == std::string("ref:any")) GTEST_SKIP() << "no kernels";
    EXPECT_EQ(made_for(in_groups(20, 25, 1024)).groups_at_once, 20);
    EXPECT_EQ(made_for(in_groups(20, 2, 64)).groups_at_once, 1) << "too little work";
    EXPECT_EQ(made_for(in_groups(3, 1000, 1024)).groups_at_once, 1) << "few large groups";
    EXPECT_EQ(made_for(in_groups(100, 1000, 1024)).groups_at_once, MAX_SHARES);
    EXPECT_TRUE(made_for(in_groups(100, 1000, 1024)).plan.takes_one_thread()) << "each group on one";
    const solution tiled = made_for(in_groups(100, 1000, 1024, "@cba"));
    EXPECT_EQ(tiled.groups_at_once, MAX_SHARES);
    EXPECT_LT(tiled.plan.scratchpad.bytes(), size_t(1) << 20) << "that of one thread";
}

// A quarter of the last level stays there, but not if there are twenty of them.
TEST(prepare, groups_of_rows_share_the_caches) {
    machine part = the_machine();
    const problem p = in_groups(20, part.last_level / 4 / (1024 * 8), 1024);
    solution made;
    ASSERT_EQ(prepare(p, made).code, jitnorm_success);
    if (made.by->name == std::string("ref:any")) GTEST_SKIP() << "no kernels";
    EXPECT_NE(made.plan, made.by->make_plan(one_group(p), part));
    part.l2 /= 20, part.last_level /= 20;
    EXPECT_EQ(made.plan, made.by->make_plan(one_group(p), part));
}

std::vector<uint64_t> words_of(const problem &p, maker who = maker::primitive_desc) {
    cache_key key(who);
    key.add(p);
    return {key.words().begin(), key.words().end()};
}

problem with(const post_op &op) {
    problem p = forward_problem();
    p.attr.post_ops.entries = {op};
    return p;
}

TEST(cache_key, whatever_differs_in_a_problem_is_another_key) {
    const std::vector<std::function<void(problem &)>> changes = {
        [](problem &p) { p.prop_kind = jitnorm_backward_data; },
        [](problem &p) { p.flags = jitnorm_use_scale; },
        [](problem &p) { p.epsilon = 2; },
        [](problem &p) { p.normalized_axes = 2; },
        [](problem &p) { p.form = statistics_form::inverse_deviation; },
        [](problem &p) { p.omitted = bit_of(MEAN); },
        [](problem &p) { p.scale_is_ones = true; },
        [](problem &p) { p.scale_shift_type = jitnorm_bf16; },
        [](problem &p) { p.diff_scale_shift_type = jitnorm_bf16; },
        [](problem &p) { p.first_row = 1; },
        [](problem &p) { p.all_rows = 1; },
        [](problem &p) { p.all_columns = 1; },
        [](problem &p) { p.attr.scratchpad_mode = jitnorm_scratchpad_mode_user; },
        [](problem &p) { p.attr.src_scale = true; },
        [](problem &p) { p.attr.dst_scale = true; },
        [](problem &p) { p.attr.normalizes_rounded_sum = true; },
        [](problem &p) { p.attr.multiplies_silu = true; },
        [](problem &p) { p.attr.bias_type = jitnorm_f32; },
        [](problem &p) { p[DST] = {}; },
        [](problem &p) { p[RESIDUAL] = p[SRC]; },
        [](problem &p) { p[SUM] = p[SRC]; },
        [](problem &p) { p[SRC].data_type = jitnorm_bf16; },
        [](problem &p) { p[SRC].format_kind = jitnorm_format_kind_any; },
        [](problem &p) { p[SRC].offset0 = 8; },
        [](problem &p) { p[SRC].dims[0] = 3; },
        [](problem &p) { p[SRC].padded_dims[0] = 5; },
        [](problem &p) { p[SRC].strides[0] = 64; },
        [](problem &p) {
            p[SRC] = make_layout("aBc8b", {4, 6, 8}, jitnorm_f32);
        },
        [](problem &p) {
            p[SRC] = make_layout("aBc8b", {4, 6, 8}, jitnorm_f32), p[SRC].inner_blks[0] = 16;
        },
        [](problem &p) {
            p[SRC] = make_layout("aBc8b", {4, 6, 8}, jitnorm_f32), p[SRC].inner_idxs[0] = 2;
        },
    };
    std::vector<std::vector<uint64_t>> keys = {words_of(forward_problem()),
                                               words_of(forward_problem(), maker::two_phase_call)};
    for (const auto &change : changes) {
        problem p = forward_problem(), again = forward_problem();
        change(p);
        change(again);
        keys.push_back(words_of(p));
        EXPECT_EQ(words_of(again), keys.back());
    }
    const post_op different[] = {sum_post_op{},
                                 sum_post_op{2, 0, jitnorm_data_type_undef},
                                 sum_post_op{1, 1, jitnorm_data_type_undef},
                                 sum_post_op{1, 0, jitnorm_u8},
                                 eltwise_post_op{jitnorm_eltwise_clip, 0, 0},
                                 eltwise_post_op{jitnorm_eltwise_relu, 0, 0},
                                 eltwise_post_op{jitnorm_eltwise_clip, -0.0F, 0},
                                 eltwise_post_op{jitnorm_eltwise_clip, 0, -0.0F},
                                 binary_post_op{jitnorm_binary_add, dense({4, 6, 8})},
                                 binary_post_op{jitnorm_binary_mul, dense({4, 6, 8})},
                                 binary_post_op{jitnorm_binary_add, dense({4, 6, 1})}};
    for (const post_op &op : different) {
        keys.push_back(words_of(with(op)));
        EXPECT_EQ(words_of(with(op)), keys.back());
    }
    for (size_t i = 0; i < keys.size(); ++i)
        for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
}

TEST(cache_key, what_is_made_while_a_setting_changes_is_not_cached) {
    const auto key = [] {
        cache_key made(maker::two_phase_call);
        made.add(uint64_t(0xFEDC));
        return made;
    };
    const auto caches = [](const cache_key &under) {
        jitnorm::impl::layer_norm::cache<int>(under, std::make_shared<const int>(1));
        return find_cached<int>(under) != nullptr;
    };
    const cache_key before = key();
    std::optional<settings_change> change(std::in_place);
    const cache_key during = key();
    for (const cache_key &each : {before, during}) EXPECT_FALSE(caches(each));
    change.reset();
    for (const cache_key &each : {before, during}) EXPECT_FALSE(caches(each));
    for (const auto &set : {+[] { return jitnorm_set_max_cpu_isa(jitnorm_get_effective_cpu_isa()); },
                            +[] { return jitnorm_set_implementation(nullptr); }}) {
        const cache_key now = key();
        EXPECT_EQ(set(), jitnorm_success);
        EXPECT_FALSE(caches(now));
    }
    EXPECT_TRUE(caches(key()));
}

} // namespace
