// SPDX-License-Identifier: Apache-2.0
// Every error that the contract of the first calls names, provoked one at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "small_problem.hpp"

namespace jitnorm::tests {
namespace {

// The call is refused with the status, says why, and gives nothing.
template <typename Arguments>
void expect_refusal(aclnnStatus status, const char *what, const std::function<void(Arguments &)> &spoil) {
    small_problem problem;
    Arguments arguments(problem);
    spoil(arguments);
    (void)aclGetRecentErrMsg();
    EXPECT_EQ(arguments.first_call(), status) << what;
    const char *reason = aclGetRecentErrMsg();
    ASSERT_NE(reason, nullptr) << what;
    EXPECT_NE(std::string(reason).find(std::to_string(status)), std::string::npos) << reason;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "the message is given once";
    EXPECT_EQ(problem.executor, nullptr) << what;
    EXPECT_EQ(problem.bytes, 12345u) << what;
}

void refuse_forward(aclnnStatus status, const char *what, const std::function<void(forward_arguments &)> &spoil) {
    expect_refusal<forward_arguments>(status, what, spoil);
}
void refuse_backward(aclnnStatus status, const char *what, const std::function<void(backward_arguments &)> &spoil) {
    expect_refusal<backward_arguments>(status, what, spoil);
}

// A tensor to put in place of a right one.
acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type, const dims_t &strides, int64_t offset = 0,
                           aclFormat format = ACL_FORMAT_ND) {
    static float memory[4096];
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), offset, format,
                                                dims.data(), dims.size(), memory));
}
acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type = ACL_FLOAT) {
    return wrong(dims, type, strides_of(dims, layout::dense));
}

TEST(aclnn_errors, the_right_arguments_are_right) {
    small_problem problem;
    EXPECT_EQ(forward_arguments(problem).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(problem.executor), ACLNN_SUCCESS);
    EXPECT_EQ(backward_arguments(problem).first_call(), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyAclOpExecutor(problem.executor), ACLNN_SUCCESS);
}

TEST(aclnn_errors, null_pointers_forward) {
    refuse_forward(161001, "input", [](auto &a) { a.input = nullptr; });
    refuse_forward(161001, "normalizedShape", [](auto &a) { a.shape = nullptr; });
    refuse_forward(161001, "out", [](auto &a) { a.out = nullptr; });
    refuse_forward(161001, "workspaceSize", [](auto &a) { a.bytes = nullptr; });
    refuse_forward(161001, "executor", [](auto &a) { a.executor = nullptr; });
}

TEST(aclnn_errors, null_pointers_backward) {
    refuse_backward(161001, "gradOut", [](auto &a) { a.grad_out = nullptr; });
    refuse_backward(161001, "input", [](auto &a) { a.input = nullptr; });
    refuse_backward(161001, "normalizedShape", [](auto &a) { a.shape = nullptr; });
    refuse_backward(161001, "mean", [](auto &a) { a.mean = nullptr; });
    refuse_backward(161001, "rstd", [](auto &a) { a.rstd = nullptr; });
    refuse_backward(161001, "outputMask", [](auto &a) { a.mask = nullptr; });
    refuse_backward(161001, "gradInputOut", [](auto &a) { a.grad_input = nullptr; });
    refuse_backward(161001, "gradWeightOut", [](auto &a) { a.grad_weight = nullptr; });
    refuse_backward(161001, "gradBiasOut", [](auto &a) { a.grad_bias = nullptr; });
    refuse_backward(161001, "workspaceSize", [](auto &a) { a.bytes = nullptr; });
    refuse_backward(161001, "executor", [](auto &a) { a.executor = nullptr; });
}

// Every tensor, as a parameter that can be exchanged.
using set_forward = void (*)(forward_arguments &, aclTensor *);
const std::pair<const char *, set_forward> FORWARD_TENSORS[] = {
    {"input", [](forward_arguments &a, aclTensor *t) { a.input = t; }},
    {"weight", [](forward_arguments &a, aclTensor *t) { a.weight = t; }},
    {"bias", [](forward_arguments &a, aclTensor *t) { a.bias = t; }},
    {"out", [](forward_arguments &a, aclTensor *t) { a.out = t; }},
    {"meanOut", [](forward_arguments &a, aclTensor *t) { a.mean = t; }},
    {"rstdOut", [](forward_arguments &a, aclTensor *t) { a.rstd = t; }},
};
using set_backward = void (*)(backward_arguments &, aclTensor *);
const std::pair<const char *, set_backward> BACKWARD_TENSORS[] = {
    {"gradOut", [](backward_arguments &a, aclTensor *t) { a.grad_out = t; }},
    {"input", [](backward_arguments &a, aclTensor *t) { a.input = t; }},
    {"mean", [](backward_arguments &a, aclTensor *t) { a.mean = t; }},
    {"rstd", [](backward_arguments &a, aclTensor *t) { a.rstd = t; }},
    {"weight", [](backward_arguments &a, aclTensor *t) { a.weight = t; }},
    {"bias", [](backward_arguments &a, aclTensor *t) { a.bias = t; }},
    {"gradInputOut", [](backward_arguments &a, aclTensor *t) { a.grad_input = t; }},
    {"gradWeightOut", [](backward_arguments &a, aclTensor *t) { a.grad_weight = t; }},
    {"gradBiasOut", [](backward_arguments &a, aclTensor *t) { a.grad_bias = t; }},
};

// In place of each tensor in turn.
void refuse_everywhere(aclTensor *t) {
    ASSERT_NE(t, nullptr);
    for (const auto &[name, set] : FORWARD_TENSORS)
        refuse_forward(161002, name, [&, put = set](forward_arguments &a) { put(a, t); });
    for (const auto &[name, set] : BACKWARD_TENSORS)
        refuse_backward(161002, name, [&, put = set](backward_arguments &a) { put(a, t); });
}

TEST(aclnn_errors, types_that_are_not_taken) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT32, ACL_INT8, ACL_BOOL, ACL_DT_UNDEFINED, ACL_COMPLEX64})
        refuse_everywhere(wrong({4, 6}, type).get());
}

TEST(aclnn_errors, ranks_that_are_not_taken) {
    refuse_everywhere(wrong({}).get());
    refuse_everywhere(wrong({1, 1, 1, 1, 1, 1, 1, 4, 6}).get());
}

TEST(aclnn_errors, shapes_that_do_not_match) {
    refuse_everywhere(wrong({4, 5}).get());
    refuse_everywhere(wrong({5, 6}).get());
    refuse_everywhere(wrong({7}).get());
}

TEST(aclnn_errors, formats_that_are_not_plain) {
    for (const aclFormat format : {ACL_FORMAT_NC1HWC0, ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_UNDEFINED})
        refuse_everywhere(wrong({4, 6}, ACL_FLOAT, {6, 1}, 0, format).get());
}

TEST(aclnn_errors, views_that_cannot_be) {
    refuse_everywhere(wrong({-4, 6}).get());
    refuse_everywhere(wrong({4, 6}, ACL_FLOAT, {-6, 1}, 0).get());
    refuse_everywhere(wrong({4, 6}, ACL_FLOAT, {6, 1}, -1).get());
    constexpr int64_t huge = std::numeric_limits<int64_t>::max();
    refuse_everywhere(wrong({4, 6}, ACL_FLOAT, {huge / 2, 1}, 0).get());
    refuse_everywhere(wrong({4, 6}, ACL_FLOAT, {6, 1}, huge).get());
    refuse_everywhere(wrong({huge / 2, 6}, ACL_FLOAT, {0, 0}, 0).get());
}

TEST(aclnn_errors, outputs_whose_elements_share_memory) {
    const auto data = wrong({4, 6}, ACL_FLOAT, {0, 1}), overlapping = wrong({4, 6}, ACL_FLOAT, {3, 1});
    const auto rows = wrong({4, 1}, ACL_FLOAT, {0, 1}), columns = wrong({6}, ACL_FLOAT, {0});
    refuse_forward(161002, "out", [&](auto &a) { a.out = data.get(); });
    refuse_forward(161002, "out", [&](auto &a) { a.out = overlapping.get(); });
    refuse_forward(161002, "meanOut", [&](auto &a) { a.mean = rows.get(); });
    refuse_forward(161002, "rstdOut", [&](auto &a) { a.rstd = rows.get(); });
    refuse_backward(161002, "gradInputOut", [&](auto &a) { a.grad_input = data.get(); });
    refuse_backward(161002, "gradWeightOut", [&](auto &a) { a.grad_weight = columns.get(); });
    refuse_backward(161002, "gradBiasOut", [&](auto &a) { a.grad_bias = columns.get(); });
}

TEST(aclnn_errors, normalized_shapes_that_are_no_suffix) {
    for (const dims_t &dims : {dims_t{}, {4}, {6, 4}, {5, 6}, {4, 6, 6}, {1, 4, 6}, {0}, {-6}}) {
        const auto shape = int_array(dims);
        refuse_forward(161002, "forward", [&](auto &a) { a.shape = shape.get(); });
        refuse_backward(161002, "backward", [&](auto &a) { a.shape = shape.get(); });
    }
}

TEST(aclnn_errors, masks_of_another_length) {
    const bool values[4] = {true, true, true, true};
    for (const uint64_t length : {uint64_t(0), uint64_t(2), uint64_t(4)}) {
        const acl_owned<aclBoolArray> mask(aclCreateBoolArray(values, length));
        refuse_backward(161002, "outputMask", [&](auto &a) { a.mask = mask.get(); });
    }
}

TEST(aclnn_errors, types_that_do_not_go_together) {
    const auto data = wrong({4, 6}, ACL_BF16), columns = wrong({6}, ACL_BF16);
    refuse_forward(161002, "weight neither as input nor FLOAT", [&](auto &a) { a.weight = columns.get(); });
    refuse_forward(161002, "bias neither as input nor FLOAT", [&](auto &a) { a.bias = columns.get(); });
    refuse_forward(161002, "weight as input, bias FLOAT", [&](auto &a) {
        a.input = data.get();
        a.weight = columns.get();
    });
    refuse_backward(161002, "gradOut and input", [&](auto &a) { a.grad_out = data.get(); });
}

TEST(aclnn_errors, statistics_of_different_shapes) {
    const auto flat = wrong({4});
    refuse_forward(161002, "meanOut", [&](auto &a) { a.mean = flat.get(); });
    refuse_backward(161002, "rstd", [&](auto &a) { a.rstd = flat.get(); });
}

// Rows in an order that no strides over the input's dimensions tell.
TEST(aclnn_errors, statistics_that_no_view_can_be) {
    const acl_tensor x({2, 3, 4}, ACL_FLOAT), mu({6}, ACL_FLOAT, dims_t{1}, 0), columns({4}, ACL_FLOAT);
    const auto uneven = wrong({3, 2}, ACL_FLOAT, {3, 1});
    const auto shape = int_array({4});
    refuse_backward(161002, "mean", [&](auto &a) {
        a.input = a.grad_out = x.get();
        a.grad_input = x.get();
        a.weight = a.bias = nullptr;
        a.grad_weight = a.grad_bias = columns.get();
        a.shape = shape.get();
        a.mean = a.rstd = uneven.get();
    });
}

TEST(aclnn_errors, reasons_have_names_and_numbers) {
    const auto five = wrong({4, 5}), integers = wrong({4, 6}, ACL_INT32), backwards = wrong({4, 6}, ACL_FLOAT, {-6, 1}),
               before = wrong({4, 6}, ACL_FLOAT, {6, 1}, -1), three = wrong({3, 1}), narrow = wrong({6}, ACL_BF16);
    const auto shape = int_array({5});
    const std::pair<const char *, std::function<void(forward_arguments &)>> cases[] = {
        {"out has the shape [4, 5], it must have that of input, [4, 6]", [&](auto &a) { a.out = five.get(); }},
        {"input is INT32, none of FLOAT, FLOAT16 and BF16", [&](auto &a) { a.input = integers.get(); }},
        {"input has a negative stride: [-6, 1]", [&](auto &a) { a.input = backwards.get(); }},
        {"input has the negative offset -1", [&](auto &a) { a.input = before.get(); }},
        {"normalizedShape [5] is not the end of the shape [4, 6] of input", [&](auto &a) { a.shape = shape.get(); }},
        {"weight is BF16, it must be FLOAT or have the type of the data, FLOAT",
         [&](auto &a) { a.weight = narrow.get(); }},
        {"meanOut has the shape [3, 1], it must have as many elements as the axes that count rows, [4]",
         [&](auto &a) { a.mean = a.rstd = three.get(); }},
        {"epsilon is -1, it must be finite and not negative", [](auto &a) { a.eps = -1; }}};
    for (const auto &[reason, spoil] : cases) {
        small_problem problem;
        forward_arguments arguments(problem);
        spoil(arguments);
        EXPECT_EQ(arguments.first_call(), 161002);
        const std::string said = aclGetRecentErrMsg();
        EXPECT_NE(said.find(reason), said.npos) << said;
    }
}

TEST(aclnn_errors, epsilons_that_are_none) {
    for (const double eps : {-1e-5, double(INFINITY), double(NAN), 1e300})
        refuse_forward(161002, "eps", [&](auto &a) { a.eps = eps; });
}

} // namespace
} // namespace jitnorm::tests
