// SPDX-License-Identifier: Apache-2.0
// Twenty mistakes, four at each door, and what is said to each: the words that a user reads.
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

#include "acl/acl.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "graph/graph_objects.hpp"
#include "jitnorm/jitnorm.hpp"
#include "rig/execution.hpp"

namespace jitnorm::tests {
namespace {

class wrong_calls : public testing::Test {
protected:
    void SetUp() override { EXPECT_OK(jitnorm_set_verbose(0)); }
};

// What the last call said; the status is that of the call.
std::string words(jitnorm_status_t status) { return std::string(jitnorm_status2str(status)) + ": " + get_last_error(); }

TEST_F(wrong_calls, in_c) {
    owned_md md;
    const dims sizes = {2, 3};
    EXPECT_EQ(words(jitnorm_memory_desc_create_with_tag(&md, 2, sizes.data(), jitnorm_f32, jitnorm_abc)),
              "invalid_arguments: the tag abc has 3 dimensions, the tensor 2");

    const owned_md six = make_md({1, 1, 1, 1, 1, 8}, jitnorm_f32), data = make_md({3, 8}, jitnorm_f32);
    owned_pd pd;
    EXPECT_EQ(words(forward_request{jitnorm_forward_training, six, six}.create(&pd)),
              "invalid_arguments: src has 6 dimensions, 2 to 5 are supported");

    backward_request backward{jitnorm_backward, data, data, data};
    backward.flags = jitnorm_use_shift;
    ASSERT_OK(backward.create(&pd));
    const execution run(pd);
    auto args = run.args();
    std::erase_if(args, [](const jitnorm_exec_arg_t &a) { return a.arg == JITNORM_ARG_DIFF_SHIFT; });
    EXPECT_EQ(words(run.run(args)), "invalid_arguments: argument DIFF_SHIFT is missing");

    const owned_memory longer = make_memory(make_md({3, 9}, jitnorm_f32), JITNORM_MEMORY_ALLOCATE);
    args = run.args();
    for (jitnorm_exec_arg_t &a : args)
        if (a.arg == JITNORM_ARG_DIFF_DST) a.memory = longer;
    EXPECT_EQ(words(run.run(args)),
              "invalid_arguments: argument DIFF_DST has the dimensions 3x9, the primitive's are 3x8");
}

template <typename Body>
std::string what_of(Body &&body) {
    try {
        body();
    } catch (const error &e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST_F(wrong_calls, in_cpp) {
    using dt = memory::data_type;
    using tag = memory::format_tag;
    const engine cpu(engine::kind::cpu, 0);
    const memory::desc rows({3, 8}, dt::f32, tag::ab), columns({8}, dt::f32, tag::a), whole({3, 8}, dt::s32, tag::ab);
    EXPECT_EQ(what_of([&] { engine(engine::kind::cpu, 1); }),
              "could not create an engine: there is no engine 1 of kind cpu");
    EXPECT_EQ(what_of([&] {
                  memory::desc({2, -3}, dt::f32, tag::ab);
              }),
              "could not create a memory descriptor: dims[1] is -3, which is negative");
    const auto forward = [&](const memory::desc &src, const memory::desc &statistics) {
        return layer_normalization_forward::primitive_desc(cpu, prop_kind::forward_training, src, rows, statistics, 0.f,
                                                           normalization_flags::none);
    };
    EXPECT_EQ(what_of([&] { forward(rows, columns); }), "could not create a primitive descriptor: dimension 0 of "
                                                        "statistics (mean and variance) is 8, of src without its "
                                                        "normalized dimensions 3 (8 and 3)");
    EXPECT_EQ(what_of([&] { forward(whole, memory::desc({3}, dt::f32, tag::a)); }),
              "could not create a primitive descriptor: src is s32, forward takes f32, bf16, f16, f64, s8 and u8");
}

TEST_F(wrong_calls, in_graphs) {
    const auto add = [](const op_request &request) {
        owned_graph graph;
        EXPECT_OK(jitnorm_graph_graph_create(&graph, jitnorm_cpu));
        return words(jitnorm_graph_add_op(graph, request.make()));
    };
    const lt src = make_lt(0, {2, 8}), dst = make_lt(1, {2, 8}), scale = make_lt(2, {7});
    EXPECT_EQ(add({jitnorm_graph_op_layer_norm, {src}, {dst, scale}}),
              "invalid_graph_op: LayerNorm with keep_stats has 3 outputs, not 2");
    op_request far{jitnorm_graph_op_layer_norm, {src}, {dst}, {{jitnorm_graph_op_attr_keep_stats, 0}}};
    far.numbers = {{jitnorm_graph_op_attr_begin_norm_axis, 2}};
    EXPECT_EQ(add(far), "invalid_graph_op: begin_norm_axis is 2 and src has 2 dimensions");

    const op_request norm{
        jitnorm_graph_op_layer_norm, {src, scale, scale}, {dst}, {{jitnorm_graph_op_attr_keep_stats, 0}}};
    const owned_partition partition = norm.partition();
    owned_compiled compiled;
    ASSERT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition));
    EXPECT_EQ(words(compile(partition, compiled, norm.inputs, norm.outputs)),
              "invalid_shape: dimension 0 of gamma is 7, of src's normalized axes 8 (7 and 8)");
    EXPECT_EQ(words(compile(partition, compiled, {scale}, norm.outputs)),
              "invalid_arguments: src (tensor 0) is missing");
}

// Tensors of 2 x 8 and of other shapes, and what a first call with them says.
struct acl_call {
    acl_call() { (void)aclGetRecentErrMsg(); }
    acl_call(const acl_call &) = delete;
    acl_call &operator=(const acl_call &) = delete;
    ~acl_call() {
        for (aclTensor *t : made_) aclDestroyTensor(t);
        aclDestroyIntArray(shape);
    }

    aclTensor *tensor(std::vector<int64_t> sizes, aclDataType type = ACL_FLOAT) {
        std::vector<int64_t> strides(sizes.size(), 1);
        for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
        made_.push_back(aclCreateTensor(sizes.data(), sizes.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                                        sizes.data(), sizes.size(), data_));
        return made_.back();
    }
    std::string forward(const aclTensor *input, const aclTensor *weight, aclTensor *out) {
        EXPECT_NE(aclnnLayerNormGetWorkspaceSize(input, shape, weight, nullptr, 1e-5, out, nullptr, nullptr, &bytes_,
                                                 &executor_),
                  0);
        return aclGetRecentErrMsg();
    }
    std::string backward(aclTensor *t, aclTensor *mean, aclTensor *rstd, const std::vector<char> &outputs) {
        const bool mask[] = {outputs.size() > 0, false, false};
        aclBoolArray *array = aclCreateBoolArray(mask, outputs.size());
        EXPECT_NE(aclnnLayerNormBackwardGetWorkspaceSize(t, t, shape, mean, rstd, nullptr, nullptr, array, nullptr,
                                                         nullptr, nullptr, &bytes_, &executor_),
                  0);
        aclDestroyBoolArray(array);
        return aclGetRecentErrMsg();
    }

    aclIntArray *shape = aclCreateIntArray(std::array<int64_t, 1>{8}.data(), 1);

private:
    float data_[64] = {};
    std::vector<aclTensor *> made_;
    uint64_t bytes_ = 0;
    aclOpExecutor *executor_ = nullptr;
};

TEST_F(wrong_calls, in_two_phases) {
    acl_call call;
    aclTensor *rows = call.tensor({2, 8}), *statistics = call.tensor({2, 1});
    const std::string forward = "jitnorm_aclnn_layer_norm_get_workspace_size: ";
    const std::string backward = "jitnorm_aclnn_layer_norm_backward_get_workspace_size: ";
    EXPECT_EQ(call.forward(rows, nullptr, nullptr), forward + "161001: out is null");
    EXPECT_EQ(call.forward(rows, call.tensor({7}), rows),
              forward + "161002: weight has the shape [7], it must have that of normalizedShape, [8]");
    EXPECT_EQ(call.forward(call.tensor({2, 8}, ACL_INT8), nullptr, rows),
              forward + "161002: input is INT8, none of FLOAT, FLOAT16 and BF16");
    EXPECT_EQ(call.backward(rows, statistics, statistics, {1, 0, 0}),
              backward + "161001: gradInputOut is null and outputMask asks for it");
    // The same words, whoever asks.
    EXPECT_STREQ(get_last_error(), "gradInputOut is null and outputMask asks for it");
}

// What the program prints, its errors included.
std::string printed(const std::string &arguments, const std::string &environment) {
    const std::string command = environment + BENCHDNN_LITE + " " + arguments + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    std::string text;
    for (char line[1024]; std::fgets(line, sizeof line, pipe) != nullptr;) text += line;
    EXPECT_NE(pclose(pipe), -1);
    return text;
}

void expect_printed(const std::string &arguments, const std::string &words, const std::string &environment = "") {
    const std::string text = printed(arguments, environment);
    EXPECT_NE(text.find(words), std::string::npos) << arguments << "\n" << text;
}

TEST_F(wrong_calls, on_the_command_line) {
    expect_printed("--lnorm 2x2x2x2x2x2", "src has 6 dimensions, 2 to 5 are supported");
    expect_printed("--lnorm --attr-post-ops=sum:1:3 2x8",
                   "post-op 0: a sum of f32 has the zero point 3, which s8 and u8 alone may have");
    expect_printed("--lnorm --attr-post-ops=sum:1:0:s8 2x8",
                   "post-op 0: the type of a sum is s8, whose size is not that of dst's, f32");
    expect_printed("--lnorm 2x8", "JITNORM_IMPL is nobody, which names no implementation", "JITNORM_IMPL=nobody ");
}

} // namespace
} // namespace jitnorm::tests
