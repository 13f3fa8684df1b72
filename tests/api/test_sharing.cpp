// SPDX-License-Identifier: Apache-2.0
// What was asked for before is not made again: who shares with whom, and what a creation allocates then. Which objects
// go first is decided as for kernels (tests/kernel/test_kernel_cache.cpp), by src/base/lru_cache.hpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "api/primitive/primitive_desc.hpp"
#include "support/allocation_failures.hpp"
#include "support/execution.hpp"

using namespace jitnorm::tests;

namespace {

using described = std::shared_ptr<const jitnorm::impl::api::described>;

struct sharing : testing::Test {
    owned_md data = make_md({3, 8}, jitnorm_f32);
    forward_request forward{jitnorm_forward_training, data, data};
    int before = 0;

    void SetUp() override {
        EXPECT_OK(jitnorm_get_primitive_cache_capacity(&before));
        set_capacity(0);
        set_capacity(before);
    }
    void TearDown() override {
        set_capacity(before);
        EXPECT_OK(jitnorm_set_implementation(nullptr));
    }
    static void set_capacity(int capacity) { EXPECT_OK(jitnorm_set_primitive_cache_capacity(capacity)); }

    template <typename Request>
    static described what(const Request &request) {
        const owned_pd pd = request.make();
        return pd.get()->what;
    }
};

// And a hit allocates only the handle.
TEST_F(sharing, equal_descriptors_share_and_so_do_their_primitives) {
    owned_pd one, other;
    owned_primitive first, second;
    EXPECT_OK(forward.create(&one));
    EXPECT_EQ(one.get()->what->made(), nullptr); // a descriptor generates nothing
    EXPECT_OK(jitnorm_primitive_create(&first, one));
    const auto made = one.get()->what->made();
    ASSERT_NE(made, nullptr);
    const long start = allocations;
    EXPECT_OK(forward.create(&other));
    EXPECT_EQ(allocations, start + 1);
    EXPECT_OK(jitnorm_primitive_create(&second, other));
    EXPECT_EQ(allocations, start + 2);
    EXPECT_EQ(one.get()->what, other.get()->what);
    EXPECT_EQ(other.get()->what->made(), made);
}

// The key is made of the problem, whose parts tests/dispatch has, and of the scales that are asked for.
TEST_F(sharing, whatever_differs_is_another_entry) {
    using attr_handle = jitnorm_primitive_attr_t;
    const auto find_scales = [](attr_handle attr, jitnorm_dim_t columns) {
        const jitnorm_dim_t groups[] = {1, columns};
        return jitnorm_primitive_attr_set_scales_v3(attr, JITNORM_ARG_DST, 3, 2, groups, jitnorm_f32, 0,
                                                    jitnorm_quantization_mode_dynamic_amax);
    };
    const std::function<jitnorm_status_t(attr_handle)> settings[] = {
        [](attr_handle) { return jitnorm_success; },
        [](attr_handle attr) { return jitnorm_primitive_attr_set_epsilon(attr, 1e-6); },
        [](attr_handle attr) { return jitnorm_primitive_attr_set_epsilon(attr, std::nextafter(1e-6, 1.0)); },
        [](attr_handle attr) { return jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user); },
        [](attr_handle attr) { return jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0); },
        [&](attr_handle attr) { return jitnorm_primitive_attr_set_residual(attr, data, data, jitnorm_f32, 0); },
        [&](attr_handle attr) { return find_scales(attr, 4); },
        [&](attr_handle attr) { return find_scales(attr, 8); }};
    const owned_md bytes = make_md({3, 8}, jitnorm_s8);
    std::vector<described> made;
    for (const auto &set : settings) {
        const owned_attr attr = make_attr();
        EXPECT_OK(set(attr));
        const forward_request request{.prop_kind = jitnorm_forward_inference, .src = data, .dst = bytes, .attr = attr};
        made.push_back(what(request));
        EXPECT_EQ(what(request), made.back()) << made.size();
        EXPECT_EQ(std::ranges::count(made, made.back()), 1) << made.size();
    }
}

// docs/embedding.md: what tens of post-ops are asked with is too long to be kept.
TEST_F(sharing, requests_with_tens_of_post_ops_are_made_anew) {
    const owned_post_ops post_ops = make_post_ops();
    const owned_attr attr = make_attr();
    for (int i = 0; i < 32; ++i) EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, data));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
    forward_request request = forward;
    request.attr = attr;
    EXPECT_NE(what(request), what(request));
}

TEST_F(sharing, settings_choose_among_entries) {
    const described any = what(forward);
    EXPECT_OK(jitnorm_set_implementation("ref:any"));
    const described reference = what(forward);
    EXPECT_STREQ(reference->solution.by->name, "ref:any");
    EXPECT_EQ(what(forward), reference);
    EXPECT_OK(jitnorm_set_implementation(nullptr));
    EXPECT_EQ(what(forward)->solution.by, any->solution.by);
}

TEST_F(sharing, capacity_0_shares_nothing) {
    owned_pd kept;
    owned_primitive of_kept;
    EXPECT_OK(forward.create(&kept));
    set_capacity(0);
    EXPECT_EQ(kept.get()->what.use_count(), 1);
    EXPECT_NE(what(forward), what(forward));
    EXPECT_OK(jitnorm_primitive_create(&of_kept, kept));
    EXPECT_EQ(kept.get()->what->made(), nullptr);
}

TEST_F(sharing, a_descriptor_that_moves_on_does_not_change_the_others) {
    owned_pd one, other;
    EXPECT_OK(forward.create(&one));
    EXPECT_OK(forward.create(&other));
    const described shared = one.get()->what;
    if (jitnorm_primitive_desc_next_impl(one) != jitnorm_success) GTEST_SKIP() << "there is one implementation";
    EXPECT_NE(one.get()->what->solution.by, shared->solution.by);
    EXPECT_EQ(other.get()->what, shared);
    EXPECT_EQ(what(forward), shared);
}

TEST_F(sharing, threads_that_ask_at_once_get_the_same) {
    std::vector<owned_pd> pds(8);
    std::vector<std::thread> threads;
    for (owned_pd &mine : pds)
        threads.emplace_back([&] {
            owned_primitive primitive;
            EXPECT_OK(forward.create(&mine));
            EXPECT_OK(jitnorm_primitive_create(&primitive, mine));
        });
    for (std::thread &t : threads) t.join();
    for (const owned_pd &pd : pds) EXPECT_EQ(pd.get()->what, pds[0].get()->what);
}

} // namespace
