// SPDX-License-Identifier: Apache-2.0
// aclnnRmsNormDynamicQuant and aclnnAddRmsNormDynamicQuant: every error of the contracts, provoked one at a time.
#include "quant_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclnnStatus NULLPTR = 161001, INVALID = 161002, TILING = 561002;

acl_owned<aclTensor> wrong(const dims_t &dims, aclDataType type, dims_t strides = {}) {
    static float memory[4096];
    if (strides.empty()) strides = strides_of(dims, layout::dense);
    return acl_owned<aclTensor>(aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND,
                                                dims.data(), dims.size(), memory));
}

// One of the tensors is exchanged, by its place among the parameters: x, gamma, smooth, beta, y, scale.
void refuse(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-6,
            int64_t dst_type = INT8_TYPE) {
    const quant_problem p;
    std::vector<const aclTensor *> a = {p.x.get(),    p.gamma.get(), p.smooth.get(),
                                        p.beta.get(), p.y.get(),     p.scale.get()};
    if (place < a.size()) a[place] = t;
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(a[0], a[1], a[2], a[3], epsilon, dst_type, a[4], a[5], size,
                                                        made);
    });
}
// x1, x2, gamma, smooth1, smooth2, y1, y2, x, scale1, scale2
void refuse_sum(aclnnStatus status, const char *what, size_t place, const aclTensor *t, double epsilon = 1e-6) {
    const quant_problem p;
    std::vector<const aclTensor *> a = {p.x.get(), p.x2.get(), p.gamma.get(), p.smooth.get(), p.smooth2.get(),
                                        p.y.get(), p.y2.get(), p.sum.get(),   p.scale.get(),  p.scale2.get()};
    if (place < a.size()) a[place] = t;
    const auto out = [&](size_t i) { return const_cast<aclTensor *>(a[i]); };
    expect_refused(status, what, [&](auto size, auto made) {
        return aclnnAddRmsNormDynamicQuantGetWorkspaceSize(a[0], a[1], a[2], a[3], a[4], epsilon, out(5), out(6),
                                                           out(7), out(8), out(9), size, made);
    });
}
constexpr size_t NOWHERE = 99, TENSORS = 6, SUM_TENSORS = 10;

TEST(aclnn_dynamic_quant_errors, null_pointers) {
    for (const size_t i : {0, 1, 4, 5}) refuse(NULLPTR, "one", i, nullptr);
    for (const size_t i : {0, 1, 2, 5, 6, 7, 8, 9}) refuse_sum(NULLPTR, "sum", i, nullptr);
    refuse_sum(TILING, "smoothScale2 alone", 3, nullptr);
    const quant_problem p;
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    for (const bool of_bytes : {false, true}) {
        uint64_t *const size = of_bytes ? nullptr : &bytes;
        aclOpExecutor **const made = of_bytes ? &executor : nullptr;
        EXPECT_EQ(p.first(true, true, size, made), NULLPTR);
        EXPECT_EQ(p.first_sum(2, size, made), NULLPTR);
    }
    for (const auto second : {aclnnRmsNormDynamicQuant, aclnnAddRmsNormDynamicQuant})
        EXPECT_EQ(second(nullptr, 0, nullptr, nullptr), NULLPTR);
}

TEST(aclnn_dynamic_quant_errors, no_elements) {
    for (const dims_t &dims : {dims_t{0, 6}, {4, 0}}) {
        const quant_problem p(dims);
        expect_refused(TILING, "x", [&](auto size, auto made) { return p.first(false, false, size, made); });
    }
}

TEST(aclnn_dynamic_quant_errors, of_the_second_calls) {
    quant_problem p({5, 33}, ACL_BF16, layout::gaps);
    ASSERT_EQ(p.first(true, true, &p.bytes, &p.executor), ACLNN_SUCCESS);
    ASSERT_GT(p.bytes, 0u);
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), INVALID) << "another operation's";
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes - 1, p.executor), INVALID);
    EXPECT_EQ(aclnnRmsNormDynamicQuant(nullptr, p.bytes, p.executor, nullptr), NULLPTR);
    EXPECT_TRUE(p.y.is_untouched() && p.scale.is_untouched());
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnRmsNormDynamicQuant, p.bytes, p.executor), INVALID) << "it has ended";
    ASSERT_EQ(p.first_sum(2, &p.bytes, &p.executor), ACLNN_SUCCESS);
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes - 1, p.executor), INVALID);
    EXPECT_TRUE(p.y2.is_untouched() && p.sum.is_untouched());
    EXPECT_EQ(run_exactly(aclnnAddRmsNormDynamicQuant, p.bytes, p.executor), ACLNN_SUCCESS);
}

TEST(aclnn_dynamic_quant_errors, types) {
    for (const aclDataType type : {ACL_DOUBLE, ACL_FLOAT16, ACL_DT_UNDEFINED, ACL_UINT8, ACL_HIFLOAT8}) {
        const auto t = wrong({4, 6}, type);
        for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "one", i, t.get());
        for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(INVALID, "sum", i, t.get());
    }
    const quant_problem floats({4, 6}, ACL_FLOAT);
    expect_refused(TILING, "FLOAT", [&](auto s, auto e) {
        return aclnnRmsNormDynamicQuantGetWorkspaceSize(floats.x.get(), floats.gamma.get(), nullptr, nullptr, 1e-6,
                                                        INT8_TYPE, floats.y.get(), floats.scale.get(), s, e);
    });
    const auto f8 = wrong({4, 6}, ACL_FLOAT8_E4M3FN);
    for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "f8", i, f8.get());
    for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(INVALID, "f8, or y1 and y2 of two types", i, f8.get());
    for (const int64_t type : {-1, 0, 3, 34, 36}) refuse(TILING, "dstType", NOWHERE, nullptr, 1e-6, type);
}

TEST(aclnn_dynamic_quant_errors, shapes_and_views) {
    constexpr aclDataType OF[] = {ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16, ACL_INT8, ACL_FLOAT};
    constexpr aclDataType OF_SUM[] = {ACL_BF16, ACL_BF16, ACL_BF16, ACL_BF16,  ACL_BF16,
                                      ACL_INT8, ACL_INT8, ACL_BF16, ACL_FLOAT, ACL_FLOAT};
    for (const dims_t &dims : {dims_t{}, {4, 5}, {5, 6}, {7}, {4, 6, 1}, {1, 1, 1, 1, 1, 1, 1, 4, 6}, {-4, 6}}) {
        for (size_t i = 0; i < TENSORS; ++i) refuse(TILING, "one", i, wrong(dims, OF[i]).get());
        for (size_t i = 0; i < SUM_TENSORS; ++i) refuse_sum(TILING, "sum", i, wrong(dims, OF_SUM[i]).get());
    }
    refuse(TILING, "overlapping", 4, wrong({4, 6}, ACL_INT8, {0, 1}).get());
    refuse(TILING, "overlapping", 5, wrong({4}, ACL_FLOAT, {0}).get());
    refuse(TILING, "no elements", 0, wrong({0, 6}, ACL_BF16).get());
    for (const size_t i : {8, 9}) refuse_sum(TILING, "not contiguous", i, wrong({4}, ACL_FLOAT, {2}).get());
    for (const size_t i : {5, 6}) refuse_sum(TILING, "overlapping", i, wrong({4, 6}, ACL_INT8, {0, 1}).get());
}

TEST(aclnn_dynamic_quant_errors, epsilon) {
    for (const double epsilon : {-1e-6, double(INFINITY), double(NAN)}) {
        refuse(TILING, "one", NOWHERE, nullptr, epsilon);
        refuse_sum(TILING, "sum", NOWHERE, nullptr, epsilon);
    }
    refuse(TILING, "one", NOWHERE, nullptr, 0);
}

} // namespace
} // namespace jitnorm::tests
