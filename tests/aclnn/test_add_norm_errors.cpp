// SPDX-License-Identifier: Apache-2.0
// Every error that the contracts of aclnnAddRmsNorm, aclnnAddLayerNorm and aclnnGemmaRmsNorm name, provoked one at a
// time.
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "sum_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;

struct wrong_tensor {
    acl_owned<aclTensor> handle;
    explicit wrong_tensor(const dims_t &dims, aclDataType type = ACL_FLOAT, dims_t strides = {}) {
        static float memory[4096];
        if (strides.empty()) strides = strides_of(dims, layout::dense);
        handle.reset(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND, dims.data(),
                                     dims.size(), memory));
    }
};

// One of the tensors is exchanged, by its place among the parameters.
void refuse_rms(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-5) {
    const sum_problem p;
    std::vector<const aclTensor *> a = {p.x1.get(), p.x2.get(), p.gamma.get(), p.y.get(), p.rstd.get(), p.x.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddRmsNormGetWorkspaceSize(a[0], a[1], a[2], epsilon, const_cast<aclTensor *>(a[3]),
                                               const_cast<aclTensor *>(a[4]), const_cast<aclTensor *>(a[5]), size,
                                               made);
    });
}
void refuse_layer(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-5) {
    const sum_problem p;
    std::vector<const aclTensor *> a = {p.x1.get(), p.x2.get(),   p.gamma.get(), p.beta.get(), p.bias.get(),
                                        p.y.get(),  p.mean.get(), p.rstd.get(),  p.x.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddLayerNormGetWorkspaceSize(a[0], a[1], a[2], a[3], a[4], epsilon, true, a[5], a[6], a[7], a[8],
                                                 size, made);
    });
}
constexpr size_t NOWHERE = 99, RMS_TENSORS = 6, LAYER_TENSORS = 9, BIAS = 4, RMS_RSTD = 4;

TEST(aclnn_add_norm_errors, null_pointers) {
    const sum_problem p;
    for (size_t i = 0; i < RMS_TENSORS; ++i)
        refuse_rms(i == RMS_RSTD ? INVALID : NULLPTR, "rms", i, nullptr); // FLOAT without rstdOut
    for (size_t i = 0; i < LAYER_TENSORS; ++i)
        if (i != BIAS) refuse_layer(NULLPTR, "layer", i, nullptr);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(p.first_rms(nullptr, &executor), NULLPTR);
    EXPECT_EQ(p.first_rms(&bytes, nullptr), NULLPTR);
    EXPECT_EQ(p.first_layer(nullptr, &executor), NULLPTR);
    EXPECT_EQ(p.first_layer(&bytes, nullptr), NULLPTR);
    for (const auto second : {aclnnAddRmsNorm, aclnnAddLayerNorm, aclnnGemmaRmsNorm})
        EXPECT_EQ(second(nullptr, 0, nullptr, nullptr), NULLPTR);
}

TEST(aclnn_add_norm_errors, of_the_second_calls) {
    sum_problem p({{5, 33}, 1, ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16, layout::reversed});
    ASSERT_EQ(p.first_rms(&p.bytes, &p.executor), ACLNN_SUCCESS);
    ASSERT_GT(p.bytes, 0u);
    for (const auto other : {aclnnAddLayerNorm, aclnnGemmaRmsNorm})
        EXPECT_EQ(run_exactly(other, p.bytes, p.executor), INVALID) << "another operation's";
    EXPECT_EQ(run_exactly(aclnnAddRmsNorm, p.bytes - 1, p.executor), INVALID);
    EXPECT_EQ(aclnnAddRmsNorm(nullptr, p.bytes, p.executor, nullptr), NULLPTR);
    EXPECT_TRUE(p.y.is_untouched() && p.x.is_untouched());
    EXPECT_EQ(run_exactly(aclnnAddRmsNorm, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnAddRmsNorm, p.bytes, p.executor), INVALID) << "it has ended";
}

TEST(aclnn_add_norm_errors, types) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_INT8, ACL_DT_UNDEFINED, ACL_BF16}) {
        const wrong_tensor t({4, 6}, type);
        for (size_t i = 0; i < RMS_TENSORS; ++i) refuse_rms(INVALID, "rms", i, t.handle.get());
        for (size_t i = type == ACL_BF16 ? 2 : 0; i < LAYER_TENSORS; ++i) // x1 or x2 may be BF16
            refuse_layer(INVALID, "layer", i, t.handle.get());
    }
    sum_problem mixed({{4, 6}, 1, ACL_BF16, ACL_FLOAT16});
    expect_refused(INVALID, "BF16 and FLOAT16", [&](auto s, auto e) { return mixed.first_layer(s, e); });
    sum_problem narrow({{4, 6}, 1, ACL_BF16, ACL_BF16, ACL_FLOAT16, ACL_BF16});
    expect_refused(INVALID, "gamma of the other type", [&](auto s, auto e) { return narrow.first_layer(s, e); });
    sum_problem out({{4, 6}, 1, ACL_BF16, ACL_FLOAT, ACL_FLOAT, ACL_BF16});
    expect_refused(INVALID, "a narrow yOut", [&](auto s, auto e) { return out.first_layer(s, e); });
}

TEST(aclnn_add_norm_errors, shapes_and_views) {
    for (const dims_t &dims : {dims_t{}, {4, 5}, {5, 6}, {7}, {4, 6, 1}, {1, 1, 1, 1, 1, 1, 1, 4, 6}, {-4, 6}}) {
        const wrong_tensor t(dims);
        for (size_t i = 0; i < RMS_TENSORS; ++i) refuse_rms(INVALID, "rms", i, t.handle.get());
        for (size_t i = 0; i < LAYER_TENSORS; ++i) refuse_layer(TILING, "layer", i, t.handle.get());
    }
    const wrong_tensor overlapping({4, 6}, ACL_FLOAT, {0, 1}), spread({4, 6}, ACL_FLOAT, {12, 2});
    for (const size_t i : {3, 5}) refuse_rms(INVALID, "outputs", i, overlapping.handle.get());
    for (const size_t i : {5, 8}) {
        refuse_layer(TILING, "outputs", i, overlapping.handle.get());
        refuse_layer(TILING, "not contiguous", i, spread.handle.get());
    }
    sum_problem empty({{4, 0}, 1});
    expect_refused(TILING, "no elements", [&](auto s, auto e) { return empty.first_layer(s, e); });
}

TEST(aclnn_add_norm_errors, epsilon) {
    for (const double epsilon : {-1e-5, double(INFINITY), double(NAN)}) {
        refuse_rms(INVALID, "rms", NOWHERE, nullptr, epsilon);
        refuse_layer(TILING, "layer", NOWHERE, nullptr, epsilon);
    }
}

TEST(aclnn_add_norm_errors, without_statistics) {
    const sum_problem p({{4, 6}, 1, ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16});
    expect_refused(INVALID, "gamma [D]", [&](auto s, auto e) {
        return aclnnAddRmsNormGetWorkspaceSize(p.x1.get(), p.x2.get(), p.gamma.get(), 1e-5, p.y.get(), nullptr, nullptr,
                                               s, e);
    });
}

} // namespace
} // namespace jitnorm::tests
