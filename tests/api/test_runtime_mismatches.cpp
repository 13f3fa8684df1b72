// SPDX-License-Identifier: Apache-2.0
// Run-time sizes: each way in which the memories of an execution do not make one problem. Nothing is written then, and
// the log says why in one line.
#include <algorithm>

#include "runtime_requests.hpp"

using namespace jitnorm::tests;

namespace {

class mismatch : public testing::Test {
protected:
    // Every case starts from {R, 3, R} with 2x3x8; `arg` then gets a memory of another descriptor.
    void expect_refused(const request &open, int arg, const owned_md &md) {
        request closed{open.kind, open.flags, {2, 3, 8}, {}, {}};
        const owned_pd open_pd = open.create(), closed_pd = closed.create();
        execution run(open_pd, closed_pd);
        ASSERT_OK(run.run());
        execution spoiled(open_pd, closed_pd);
        ASSERT_EQ(spoiled.tensors().count(arg), 1u);
        std::vector<std::byte> bytes(jitnorm_memory_desc_get_size(md) + 1, std::byte(0x3f));
        spoiled.tensors().at(arg).memory = make_memory(md, bytes.data());
        const std::string log = log_of(1, [&] { EXPECT_EQ(spoiled.run(), INVALID); });
        EXPECT_NE(log.find("error,jitnorm_primitive_execute,invalid_arguments,"), std::string::npos) << log;
        EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
        EXPECT_TRUE(spoiled.is_untouched());
        EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte(0x3f)), std::ptrdiff_t(bytes.size()));
    }

    request forward_{jitnorm_forward_training, C | H, {R, 3, R}, {}, {}};
    request backward_{jitnorm_backward, C | H, {R, 3, R}, {}, {}};
};

TEST_F(mismatch, of_known_sizes_and_types) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST}) {
        expect_refused(forward_, arg, make_md({2, 4, 8}, jitnorm_f32));
        expect_refused(forward_, arg, make_md({2, 3, 8}, jitnorm_bf16));
        expect_refused(forward_, arg, make_md({2, 24}, jitnorm_f32));
        expect_refused(forward_, arg, make_md({2, 3, 8}, jitnorm_f32, jitnorm_aBc8b));
    }
    for (const int arg : {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST})
        expect_refused(backward_, arg, make_md({2, 2, 8}, jitnorm_f32));
}

TEST_F(mismatch, of_known_strides) {
    expect_refused(forward_, JITNORM_ARG_SRC, make_md({2, 3, 8}, jitnorm_f32, dims{48, 16, 2}));
    expect_refused(forward_, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{6, 2}));
}

TEST_F(mismatch, between_tensors) {
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        for (const dims &sizes : {dims{1, 3, 8}, dims{3, 3, 8}, dims{2, 3, 7}, dims{2, 3, 16}, dims{0, 3, 8}})
            expect_refused(forward_, arg, make_md(sizes, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_DST, JITNORM_ARG_DIFF_SRC})
        expect_refused(backward_, arg, make_md({2, 3, 9}, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE}) {
        expect_refused(forward_, arg, make_md({3, 3}, jitnorm_f32));
        expect_refused(backward_, arg, make_md({1, 3}, jitnorm_f32));
    }
    for (const int arg : {JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT})
        expect_refused(forward_, arg, make_md({7}, jitnorm_f32));
    for (const int arg : {JITNORM_ARG_SCALE, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT})
        expect_refused(backward_, arg, make_md({9}, jitnorm_f32));
}

// Mean and variance have one descriptor in a primitive, so they lie alike.
TEST_F(mismatch, between_mean_and_variance) {
    request open{jitnorm_forward_training, 0, {R, 3, R}, strides({R, R, 1}), strides({R, R, 1})};
    expect_refused(open, JITNORM_ARG_MEAN, make_md({2, 3}, jitnorm_f32, dims{4, 1}));
}

TEST_F(mismatch, outputs_of_stride_zero) {
    request open{jitnorm_forward_training, 0, {R, 3, R}, strides({R, R, 1}), strides({R, R, 1})};
    expect_refused(open, JITNORM_ARG_DST, make_md({2, 3, 8}, jitnorm_f32, dims{0, 8, 1}));
}

TEST_F(mismatch, memories_without_data) {
    request closed = forward_;
    closed.sizes = {2, 3, 8};
    const owned_pd open = forward_.create(), sizes = closed.create();
    execution run(open, sizes);
    for (const auto &[arg, tensor] : run.tensors()) {
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, nullptr));
        EXPECT_EQ(run.run(), INVALID) << arg;
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, run.data<void>(arg)));
    }
    EXPECT_TRUE(run.is_untouched());
}

} // namespace
