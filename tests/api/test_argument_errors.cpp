// SPDX-License-Identifier: Apache-2.0
// Executions that must not happen: every wrong argument list gives invalid_arguments and no byte is written.
#include <functional>
#include <string>

#include "rig/execution.hpp"

using namespace jitnorm::tests;

namespace {

using arg_list = std::vector<jitnorm_exec_arg_t>;

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;

owned_pd make_pd(bool forward, unsigned flags = SCALE_SHIFT) {
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    owned_pd pd;
    forward_request f{jitnorm_forward_training, data, data};
    backward_request b{jitnorm_backward, data, data, data};
    f.flags = b.flags = flags;
    EXPECT_OK(forward ? f.create(&pd) : b.create(&pd));
    return pd;
}

// A memory of another descriptor beside those of the execution.
struct stranger {
    owned_memory memory;
    explicit stranger(const owned_md &md) : memory(make_memory(md, JITNORM_MEMORY_ALLOCATE)) {}
};

void replace(arg_list &list, int arg, jitnorm_memory_t memory) {
    for (jitnorm_exec_arg_t &entry : list)
        if (entry.arg == arg) entry.memory = memory;
}

void drop(arg_list &list, int arg) {
    std::erase_if(list, [&](const jitnorm_exec_arg_t &entry) { return entry.arg == arg; });
}

void share(execution &run, int output, int with) {
    EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(output).memory, run.data<void>(with)));
}

void expect_refusal(const execution &run, const arg_list &list, const std::string &what) {
    EXPECT_EQ(run.run(list), jitnorm_invalid_arguments) << what;
    EXPECT_TRUE(run.is_untouched()) << what;
}

class argument_errors : public testing::TestWithParam<bool> {
protected:
    execution run_{make_pd(GetParam())};
    arg_list list_ = run_.args();
    const int output_ = GetParam() ? JITNORM_ARG_DST : JITNORM_ARG_DIFF_SRC;
};

INSTANTIATE_TEST_SUITE_P(directions, argument_errors, testing::Bool(),
                         [](const auto &tested) { return tested.param ? "forward" : "backward"; });

TEST_P(argument_errors, each_missing) {
    for (const auto &[arg, tensor] : run_.tensors()) {
        if (!GetParam() && arg == JITNORM_ARG_SHIFT) continue; // optional: it is not read
        arg_list less = list_, dummy = list_;
        drop(less, arg);
        replace(dummy, arg, nullptr);
        expect_refusal(run_, less, "without argument " + std::to_string(arg));
        expect_refusal(run_, dummy, "without a memory for argument " + std::to_string(arg));
    }
    expect_refusal(run_, {}, "no arguments");
}

TEST_P(argument_errors, each_twice) {
    for (const auto &[arg, tensor] : run_.tensors()) {
        arg_list more = list_;
        more.push_back({arg, tensor.memory});
        expect_refusal(run_, more, "twice argument " + std::to_string(arg));
    }
}

TEST_P(argument_errors, each_that_is_not_of_the_primitive) {
    std::vector<int> args = execution::all_args();
    for (const int arg : {0, -1, JITNORM_ARG_SRC_1, JITNORM_ARG_WORKSPACE, JITNORM_ARG_ATTR_SCALES, 1 << 30,
                          JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0), JITNORM_ARG_ATTR_MULTIPLE_POST_OP(32) | 2})
        args.push_back(arg);
    for (const int arg : args) {
        if (run_.tensors().count(arg) != 0) continue;
        arg_list more = list_;
        more.push_back({arg, list_.front().memory});
        expect_refusal(run_, more, "foreign argument " + std::to_string(arg));
    }
}

TEST_P(argument_errors, each_with_another_descriptor) {
    const stranger strangers[] = {
        stranger(make_md({3, 8}, jitnorm_bf16)), stranger(make_md({3, 8}, jitnorm_f32, jitnorm_ba)),
        stranger(make_md({3, 9}, jitnorm_f32)),  stranger(make_md({3, 8}, jitnorm_f32, dims{9, 1})),
        stranger(make_md({9}, jitnorm_f32)),     stranger(make_md({3, 8}, jitnorm_f32, jitnorm_aB8b)),
        stranger(make_md({}, jitnorm_f32))};
    for (const auto &[arg, tensor] : run_.tensors()) {
        if (!GetParam() && arg == JITNORM_ARG_SHIFT) continue;
        for (const stranger &other : strangers) {
            arg_list changed = list_;
            replace(changed, arg, other.memory);
            expect_refusal(run_, changed, "another descriptor for argument " + std::to_string(arg));
        }
    }
}

// Where rows are apart, only strides tell the tensor from others.
TEST(arguments, of_another_stride_are_refused) {
    const owned_md data = make_md({3, 8}, jitnorm_f32, dims{16, 1});
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make();
    execution run(pd);
    const stranger strangers[] = {stranger(make_md({3, 8}, jitnorm_f32)),
                                  stranger(make_md({3, 8}, jitnorm_f32, dims{24, 1}))};
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        for (const stranger &other : strangers) {
            arg_list changed = run.args();
            replace(changed, arg, other.memory);
            expect_refusal(run, changed, "another stride for argument " + std::to_string(arg));
        }
    EXPECT_OK(run.run());
}

// Dimensions of 21 bits are compared side by side in one word, in which 3 x 9 must not be (2^21 + 3) x 8.
TEST(arguments, of_another_and_long_dimension_are_refused) {
    const owned_md data = make_md({3, 9}, jitnorm_f32);
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make();
    execution run(pd);
    const stranger other(make_md({(1 << 21) + 3, 8}, jitnorm_f32));
    arg_list changed = run.args();
    replace(changed, JITNORM_ARG_SRC, other.memory);
    expect_refusal(run, changed, "a long dimension");
}

TEST_P(argument_errors, each_without_data) {
    for (const auto &[arg, tensor] : run_.tensors()) {
        if (!GetParam() && arg == JITNORM_ARG_SHIFT) continue;
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, nullptr));
        expect_refusal(run_, list_, "no data for argument " + std::to_string(arg));
        EXPECT_OK(jitnorm_memory_set_data_handle(tensor.memory, run_.data<void>(arg)));
    }
    EXPECT_OK(run_.run());
}

TEST_P(argument_errors, null_pointers_and_counts) {
    const owned_stream stream = make_stream();
    constexpr auto INVALID = jitnorm_invalid_arguments;
    EXPECT_EQ(jitnorm_primitive_execute(nullptr, stream, int(list_.size()), list_.data()), INVALID);
    EXPECT_EQ(jitnorm_primitive_execute(run_.primitive(), nullptr, int(list_.size()), list_.data()), INVALID);
    EXPECT_EQ(jitnorm_primitive_execute(run_.primitive(), stream, int(list_.size()), nullptr), INVALID);
    EXPECT_EQ(jitnorm_primitive_execute(run_.primitive(), stream, -1, list_.data()), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "nargs is -1");
    EXPECT_EQ(jitnorm_primitive_execute(run_.primitive(), stream, 0, nullptr), INVALID);
    EXPECT_TRUE(run_.is_untouched());
    const_jitnorm_primitive_desc_t pd;
    EXPECT_EQ(jitnorm_primitive_get_primitive_desc(nullptr, &pd), INVALID);
    EXPECT_EQ(jitnorm_primitive_get_primitive_desc(run_.primitive(), nullptr), INVALID);
}

TEST(aliases, in_place_needs_equal_descriptors) {
    const owned_md src = make_md({3, 8}, jitnorm_f32), padded = make_md({3, 8}, jitnorm_f32, dims{16, 1});
    const owned_md bf16 = make_md({3, 8}, jitnorm_bf16), columns = make_md({3, 8}, jitnorm_f32, jitnorm_ba);
    for (const owned_md *dst : {&padded, &bf16, &columns}) {
        owned_pd forward, backward;
        ASSERT_OK((forward_request{jitnorm_forward_inference, src, *dst}.create(&forward)));
        execution run(forward);
        share(run, JITNORM_ARG_SRC, JITNORM_ARG_DST); // dst's buffer: the larger one, or large enough
        expect_refusal(run, run.args(), "in place forward");
        ASSERT_OK((backward_request{jitnorm_backward_data, *dst, src, src}.create(&backward)));
        execution back(backward);
        share(back, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_DST);
        expect_refusal(back, back.args(), "in place backward");
    }
}

// Tensors without elements write nothing, so they may stand where they want.
TEST(aliases, of_nothing_are_fine) {
    const owned_md data = make_md({0, 8}, jitnorm_f32);
    const owned_pd pd = backward_request{jitnorm_backward_data, data, data, data}.make();
    execution run(pd);
    share(run, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_SRC);
    EXPECT_OK(run.run());
}

TEST(arguments, inputs_may_share_their_data) {
    execution run(make_pd(true));
    share(run, JITNORM_ARG_SHIFT, JITNORM_ARG_SCALE);
    EXPECT_OK(run.run());
}

TEST(arguments, shift_of_backward_may_be_left_out) {
    execution run(make_pd(false));
    arg_list list = run.args();
    drop(list, JITNORM_ARG_SHIFT);
    EXPECT_OK(run.run(list));
}

TEST(arguments, null_memories_are_skipped) {
    execution run(make_pd(true));
    arg_list list = run.args();
    list.push_back({JITNORM_ARG_WORKSPACE, nullptr});
    EXPECT_OK(run.run(list));
}

TEST(arguments, order_does_not_matter) {
    execution run(make_pd(true)), reversed(make_pd(true));
    EXPECT_OK(run.run());
    arg_list list = reversed.args();
    std::reverse(list.begin(), list.end());
    EXPECT_OK(reversed.run(list));
    EXPECT_EQ(run.get(JITNORM_ARG_DST), reversed.get(JITNORM_ARG_DST));
}

// ---------------------------------------------------------------- attributes' arguments

TEST(attribute_arguments, scale_is_one_f32) {
    const owned_md data = make_md({3, 8}, jitnorm_s8);
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_DST, 0));
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make(0, attr);
    execution run(pd);
    constexpr int SCALE = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST;
    const stranger two(make_md({2}, jitnorm_f32)), half(make_md({1}, jitnorm_f16));
    for (jitnorm_memory_t wrong : {static_cast<jitnorm_memory_t>(nullptr), static_cast<jitnorm_memory_t>(two.memory),
                                   static_cast<jitnorm_memory_t>(half.memory)}) {
        arg_list list = run.args();
        replace(list, SCALE, wrong);
        expect_refusal(run, list, "scale");
    }
    arg_list more = run.args();
    more.push_back({JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC, run.tensors().at(SCALE).memory});
    expect_refusal(run, more, "a scale that was not set");
    EXPECT_OK(run.run());
}

TEST(attribute_arguments, binary_needs_its_tensor) {
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    owned_post_ops post_ops;
    owned_attr attr;
    ASSERT_OK(jitnorm_post_ops_create(&post_ops));
    ASSERT_OK(jitnorm_primitive_attr_create(&attr));
    EXPECT_OK(jitnorm_post_ops_append_binary(post_ops, jitnorm_binary_add, data));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make(0, attr);
    execution run(pd);
    constexpr int SRC1 = JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1;
    arg_list less = run.args();
    drop(less, SRC1);
    expect_refusal(run, less, "without src1");
    share(run, JITNORM_ARG_DST, SRC1);
    expect_refusal(run, run.args(), "dst on src1");
}

TEST(attribute_arguments, scratchpad_is_the_users_in_user_mode_only) {
    execution library(make_pd(false));
    const stranger scratchpad(make_md({1 << 16}, jitnorm_u8));
    arg_list list = library.args();
    list.push_back({JITNORM_ARG_SCRATCHPAD, scratchpad.memory});
    expect_refusal(library, list, "a scratchpad in library mode");
}

TEST(attribute_arguments, user_scratchpad) {
    const owned_attr attr = make_attr();
    EXPECT_OK(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user));
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    const owned_pd pd = backward_request{jitnorm_backward, data, data, data}.make(SCALE_SHIFT, attr);
    execution run(pd);
    arg_list less = run.args(), other = run.args();
    const stranger small(make_md({1}, jitnorm_u8));
    drop(less, JITNORM_ARG_SCRATCHPAD);
    if (run.tensors().count(JITNORM_ARG_SCRATCHPAD) == 0) { // nothing is needed: one of any size may be given
        other.push_back({JITNORM_ARG_SCRATCHPAD, small.memory});
        EXPECT_OK(run.run(less));
        EXPECT_OK(run.run(other));
        return;
    }
    replace(other, JITNORM_ARG_SCRATCHPAD, small.memory);
    expect_refusal(run, less, "without the scratchpad");
    expect_refusal(run, other, "a scratchpad of another size");
    EXPECT_OK(run.run());
}

} // namespace
