// SPDX-License-Identifier: Apache-2.0
// Executions that must not happen: every wrong argument list gives invalid_arguments and no byte is written. Tensors
// that share memory are for the contract (support/test_contract.cpp).
#include <algorithm>
#include <string>

#include "primitives_with_all.hpp"

using namespace jitnorm::tests;

namespace {

using arg_list = std::vector<jitnorm_exec_arg_t>;

owned_pd training() { return forward_pd(jitnorm_forward_training, {3, 8}, CH); }

// A memory with another descriptor than the execution's.
owned_memory stranger(const owned_md &md) { return make_memory(md, JITNORM_MEMORY_ALLOCATE); }

arg_list replaced(arg_list list, int arg, jitnorm_memory_t memory) {
    for (jitnorm_exec_arg_t &entry : list)
        if (entry.arg == arg) entry.memory = memory;
    return list;
}

arg_list without(arg_list list, int arg) {
    std::erase_if(list, [&](const jitnorm_exec_arg_t &entry) { return entry.arg == arg; });
    return list;
}

arg_list with_more(arg_list list, int arg, jitnorm_memory_t memory) {
    list.push_back({arg, memory});
    return list;
}

void share(execution &run, int output, int with) {
    EXPECT_OK(jitnorm_memory_set_data_handle(run.tensors().at(output).memory, run.data<void>(with)));
}

void expect_refusal(const execution &run, const arg_list &list, const std::string &what, const char *why = "") {
    EXPECT_EQ(run.run(list), jitnorm_invalid_arguments) << what;
    EXPECT_NE(std::string(jitnorm_get_last_error()).find(why), std::string::npos) << jitnorm_get_last_error();
    EXPECT_TRUE(run.is_untouched()) << what;
}

// ---------------------------------------------------------------- each argument of primitives that have all

class argument_errors : public testing::TestWithParam<primitive_case> {
protected:
    // Calls body(number, memory) for each argument that is not ignored.
    template <typename Body>
    void for_each_argument(Body &&body) {
        for (const auto &[arg, tensor] : run_.tensors())
            if (arg != JITNORM_ARG_SHIFT || !GetParam().outputs.contains(JITNORM_ARG_DIFF_SRC)) {
                SCOPED_TRACE(arg);
                body(arg, tensor.memory.get());
            }
    }

    execution run_{GetParam().make()};
    arg_list list_ = run_.args();
};

INSTANTIATE_TEST_SUITE_P(all, argument_errors, testing::ValuesIn(CASES), [](const auto &tested) {
    std::string name = tested.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

TEST_P(argument_errors, each_missing) {
    for_each_argument([&](int arg, jitnorm_memory_t) {
        expect_refusal(run_, without(list_, arg), "left out", " is missing");
        expect_refusal(run_, replaced(list_, arg, nullptr), "null", " is missing");
    });
    expect_refusal(run_, {}, "no arguments");
}

TEST_P(argument_errors, each_twice) {
    for (const auto &[arg, tensor] : run_.tensors()) // ignored ones, too
        expect_refusal(run_, with_more(list_, arg, tensor.memory), std::to_string(arg), "is given twice");
}

TEST_P(argument_errors, each_that_is_not_of_the_primitive) {
    std::vector<int> args = execution::all_args();
    for (const int arg : {0, -1, JITNORM_ARG_WORKSPACE, JITNORM_ARG_ATTR_SCALES, 1 << 30,
                          JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0), JITNORM_ARG_ATTR_MULTIPLE_POST_OP(32) | 2})
        args.push_back(arg);
    for (const int arg : args)
        if (run_.tensors().count(arg) == 0 && !GetParam().outputs.contains(arg))
            expect_refusal(run_, with_more(list_, arg, list_.front().memory), std::to_string(arg));
}

// What would have to be asked for.
TEST(argument_reasons, of_arguments_that_a_primitive_has_not) {
    const owned_pd inference = forward_pd(jitnorm_forward_inference, SIZES),
                   backward = backward_pd(jitnorm_backward_data, SIZES);
    const auto reason = [](const owned_pd &pd, int arg) {
        execution run(pd);
        arg_list list = run.args();
        expect_refusal(run, with_more(list, arg, list.front().memory), std::to_string(arg),
                       " does not belong to this primitive: ");
        const std::string text = jitnorm_get_last_error();
        return text.substr(text.find(": ") + 2);
    };
    EXPECT_EQ(reason(inference, JITNORM_ARG_SCALE), "use_scale is not set");
    EXPECT_EQ(reason(inference, JITNORM_ARG_VARIANCE), "forward_inference has statistics only with use_global_stats");
    EXPECT_EQ(reason(inference, JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC),
              "the attributes have no scale of src (jitnorm_primitive_attr_set_scales_mask)");
    EXPECT_EQ(reason(inference, JITNORM_ARG_ATTR_MULTIPLE_POST_OP(0) | JITNORM_ARG_SRC_1),
              "the attributes have no binary post-op of this number");
    EXPECT_EQ(reason(inference, JITNORM_ARG_WORKSPACE), "unknown argument");
    EXPECT_EQ(reason(backward, JITNORM_ARG_DIFF_SCALE), "only prop_kind backward has it, with use_scale");
    for (const int arg : execution::all_args()) {
        if (arg == JITNORM_ARG_SRC || arg == JITNORM_ARG_DST) continue;
        EXPECT_NE(reason(inference, arg), "") << arg;
    }
}

TEST_P(argument_errors, each_with_another_descriptor) {
    const owned_md others[] = {make_md(SIZES, jitnorm_f16),
                               make_md(SIZES, jitnorm_f32, jitnorm_bac),
                               make_md({2, 3, 25}, jitnorm_f32),
                               make_md(SIZES, jitnorm_f32, dims{90, 30, 1}),
                               make_md({9}, jitnorm_f32),
                               make_md({1}, jitnorm_f16),
                               make_md(SIZES, jitnorm_f32, jitnorm_aBc8b),
                               make_md({1}, jitnorm_u8),
                               make_md({}, jitnorm_f32)};
    for_each_argument([&](int arg, jitnorm_memory_t) {
        for (const owned_md &other : others)
            expect_refusal(run_, replaced(list_, arg, stranger(other)), "another descriptor");
    });
}

TEST_P(argument_errors, each_without_data) {
    for_each_argument([&](int arg, jitnorm_memory_t memory) {
        EXPECT_OK(jitnorm_memory_set_data_handle(memory, nullptr));
        expect_refusal(run_, list_, "no data");
        EXPECT_OK(jitnorm_memory_set_data_handle(memory, run_.data<void>(arg)));
    });
    EXPECT_OK(run_.run());
}

// ---------------------------------------------------------------- of all primitives

// Tensors whose rows have gaps differ only in their strides.
TEST(arguments, of_another_stride_are_refused) {
    const owned_md data = make_md({3, 8}, jitnorm_f32, dims{16, 1});
    const owned_pd pd = forward_request{jitnorm_forward_inference, data, data}.make();
    execution run(pd);
    for (const int arg : {JITNORM_ARG_SRC, JITNORM_ARG_DST})
        for (const dims &strides : {dims{8, 1}, dims{24, 1}})
            expect_refusal(run, replaced(run.args(), arg, stranger(make_md({3, 8}, jitnorm_f32, strides))), "a stride");
    const owned_memory longer = stranger(make_md({3, 9}, jitnorm_f32));
    expect_refusal(run, replaced(run.args(), JITNORM_ARG_DST, longer), "other dimensions",
                   "argument DST has the dimensions 3x9, the primitive's are 3x8");
    EXPECT_OK(run.run());
}

TEST(arguments, are_not_fewer_than_none) {
    const execution run(training());
    const auto args = run.args();
    EXPECT_EQ(jitnorm_primitive_execute(run.primitive(), make_stream(), -1, args.data()), jitnorm_invalid_arguments);
    EXPECT_STREQ(jitnorm_get_last_error(), "nargs is -1, which is negative");
    EXPECT_TRUE(run.is_untouched());
}

TEST(arguments, in_place_need_equal_descriptors) {
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
TEST(arguments, without_elements_may_share_their_data) {
    execution run(backward_pd(jitnorm_backward_data, {0, 8}));
    share(run, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_SRC);
    EXPECT_OK(run.run());
}

// The shift of backward, memories that are null, and the order.
TEST(arguments, that_make_no_difference) {
    const execution backward(backward_pd(jitnorm_backward, {3, 8}, CH));
    EXPECT_OK(backward.run(without(backward.args(), JITNORM_ARG_SHIFT)));
    execution run(training()), reversed(training());
    EXPECT_OK(run.run(with_more(run.args(), JITNORM_ARG_WORKSPACE, nullptr)));
    arg_list list = reversed.args();
    std::reverse(list.begin(), list.end());
    EXPECT_OK(reversed.run(list));
    EXPECT_EQ(run.get(JITNORM_ARG_DST), reversed.get(JITNORM_ARG_DST));
}

// Where nothing is needed, one of any size may be given.
TEST(arguments, a_scratchpad_that_is_not_needed) {
    const owned_memory scratchpad = stranger(make_md({1}, jitnorm_u8));
    const execution library(backward_pd(jitnorm_backward, {3, 8}, CH)),
        user(backward_pd(jitnorm_backward, {3, 8}, CH, with_user_scratchpad()));
    expect_refusal(library, with_more(library.args(), JITNORM_ARG_SCRATCHPAD, scratchpad), "library mode");
    const bool is_needed = user.tensors().count(JITNORM_ARG_SCRATCHPAD) != 0;
    EXPECT_EQ(user.run(with_more(without(user.args(), JITNORM_ARG_SCRATCHPAD), JITNORM_ARG_SCRATCHPAD, scratchpad)),
              is_needed ? jitnorm_invalid_arguments : jitnorm_success);
}

} // namespace
