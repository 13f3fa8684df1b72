// SPDX-License-Identifier: Apache-2.0
// What was asked for before is not made again: who shares with whom, and what a creation allocates then.
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
    owned_md data = make_md({3, 8}, jitnorm_f32), statistics = make_md({3}, jitnorm_f32);
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

TEST_F(sharing, equal_descriptors_share_and_so_do_their_primitives) {
    owned_pd one, other;
    EXPECT_OK(forward.create(&one));
    EXPECT_OK(forward.create(&other));
    ASSERT_EQ(one.get()->what, other.get()->what);
    EXPECT_EQ(one.get()->what->made(), nullptr); // a descriptor generates nothing
    owned_primitive first, second;
    EXPECT_OK(jitnorm_primitive_create(&first, one));
    const auto made = one.get()->what->made();
    ASSERT_NE(made, nullptr);
    EXPECT_OK(jitnorm_primitive_create(&second, other));
    EXPECT_EQ(other.get()->what->made(), made);
}

TEST_F(sharing, a_hit_allocates_only_the_handle) {
    owned_pd one, other;
    owned_primitive first, second;
    EXPECT_OK(forward.create(&one));
    EXPECT_OK(jitnorm_primitive_create(&first, one));
    const long start = allocations;
    EXPECT_OK(forward.create(&other));
    EXPECT_EQ(allocations, start + 1);
    EXPECT_OK(jitnorm_primitive_create(&second, other));
    EXPECT_EQ(allocations, start + 2);
}

TEST_F(sharing, whatever_differs_is_another_entry) {
    const owned_md half = make_md({3, 8}, jitnorm_f16), more = make_md({4, 8}, jitnorm_f32),
                   columns = make_md({3, 8}, jitnorm_f32, jitnorm_ba);
    std::vector<owned_attr> attrs(14);
    for (owned_attr &attr : attrs) EXPECT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attrs[0], jitnorm_scratchpad_mode_user));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attrs[1], JITNORM_ARG_SRC, 0));
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attrs[2], JITNORM_ARG_DST, 0));
    for (const size_t i : {size_t(3), size_t(4)}) { // equal numbers, other results
        const owned_post_ops post_ops = make_post_ops();
        EXPECT_OK(jitnorm_post_ops_append_eltwise(post_ops, jitnorm_eltwise_relu, i == 3 ? 0.f : -0.f, 0.f));
        EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attrs[i], post_ops));
    }
    const auto add_residual = [&](size_t i, const owned_md &added, const_jitnorm_memory_desc_t sum,
                                  jitnorm_data_type_t bias, unsigned flags) {
        EXPECT_OK(jitnorm_primitive_attr_set_residual(attrs[i], added, sum, bias, flags));
    };
    add_residual(5, data, nullptr, jitnorm_data_type_undef, 0);
    add_residual(6, half, nullptr, jitnorm_data_type_undef, 0);
    add_residual(7, data, half, jitnorm_data_type_undef, 0);
    add_residual(8, data, half, jitnorm_data_type_undef, jitnorm_residual_normalize_rounded);
    add_residual(13, data, half, jitnorm_data_type_undef, jitnorm_residual_mul_silu);
    add_residual(9, data, half, jitnorm_f32, 0);
    add_residual(10, columns, half, jitnorm_f32, 0);
    EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attrs[11], 1e-5));
    EXPECT_OK(jitnorm_primitive_attr_set_epsilon(attrs[12], std::nextafter(1e-5, 1.0)));
    std::vector<forward_request> requests(1, forward);
    const auto add = [&](const std::function<void(forward_request &)> &change) {
        requests.push_back(forward);
        change(requests.back());
    };
    add([&](forward_request &r) { r.prop_kind = jitnorm_forward_inference; });
    add([&](forward_request &r) { r.src = half; });
    add([&](forward_request &r) { r.dst = half; });
    add([&](forward_request &r) { r.src = r.dst = more; });
    add([&](forward_request &r) { r.dst = columns; });
    add([&](forward_request &r) { r.statistics = statistics; });
    add([&](forward_request &r) { r.scale_shift_type = jitnorm_bf16, r.flags = jitnorm_use_scale; });
    add([&](forward_request &r) { r.flags = jitnorm_use_scale; });
    add([&](forward_request &r) { r.flags = jitnorm_use_shift; });
    add([&](forward_request &r) { r.epsilon = 1e-6f; });
    for (const owned_attr &attr : attrs) add([&](forward_request &r) { r.attr = attr; });
    std::vector<described> made;
    for (const forward_request &request : requests) made.push_back(what(request));
    for (size_t i = 0; i < made.size(); ++i) {
        EXPECT_EQ(what(requests[i]), made[i]) << i;
        for (size_t j = 0; j < i; ++j) EXPECT_NE(made[i], made[j]) << i << " and " << j;
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

TEST_F(sharing, backward_has_entries_of_its_own) {
    const backward_request both{jitnorm_backward, data, data, data}, alone{jitnorm_backward_data, data, data, data};
    const described first = what(both);
    EXPECT_EQ(what(both), first);
    EXPECT_NE(what(alone), first);
    EXPECT_NE(what(forward), first);
}

TEST_F(sharing, rows_of_a_larger_problem_are_those_of_one) {
    const owned_md rows = make_md({64, 8}, jitnorm_f32);
    const auto part = [&](jitnorm_dim_t first, jitnorm_dim_t all) {
        owned_pd pd;
        EXPECT_OK(jitnorm_layer_normalization_partial_backward_primitive_desc_create(
            &pd, cpu(), rows, rows, rows, nullptr, jitnorm_f32, 1e-5f, jitnorm_use_scale, first, all, nullptr));
        return pd.get()->what;
    };
    const described beginning = part(0, 4096);
    EXPECT_EQ(part(0, 4096), beginning);
    EXPECT_NE(part(64, 4096), beginning);
    EXPECT_NE(part(0, 8192), beginning);
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

TEST_F(sharing, least_recently_used_goes_first) {
    forward_request other = forward, third = forward;
    other.epsilon = 1;
    third.epsilon = 2;
    set_capacity(2);
    const described a = what(forward), b = what(other);
    EXPECT_EQ(what(forward), a); // the younger one now
    what(third);
    EXPECT_EQ(what(forward), a);
    EXPECT_NE(what(other), b);
    EXPECT_EQ(b.use_count(), 1);
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
