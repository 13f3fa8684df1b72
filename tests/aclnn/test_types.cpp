// SPDX-License-Identifier: Apache-2.0
// Each tensor of a type of its own, as far as the contracts go: the bits are those of FLOAT tensors that hold the same
// values, rounded once where they are written. And the operations forward that are layer normalization by another name.
#include <gtest/gtest.h>

#include <functional>

#include "chain.hpp"
#include "small_problem.hpp"

namespace jitnorm::tests {
namespace {

constexpr aclDataType TYPES[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
const dims_t ROWS = {5, 1}, COLUMNS = {7}, DATA = {5, 7};

// A tensor of another type that has the same values, as far as the type goes.
acl_tensor as(const acl_tensor &t, aclDataType type, layout how = layout::dense) {
    acl_tensor result(t.shape(), type, how);
    result.fill(t.values());
    return result;
}

acl_tensor normal(const dims_t &shape, aclDataType type, double mean, double deviation, unsigned seed) {
    acl_tensor result(shape, type);
    result.fill_normal(mean, deviation, seed);
    return result;
}

struct gradients {
    acl_tensor input, weight, bias;
};

// Types of what backward reads and writes beside the data.
struct side_types {
    aclDataType weight, bias, mean, rstd, grad_weight, grad_bias;
};

gradients run_backward(const acl_tensor &x, const acl_tensor &dy, const acl_tensor &w, const acl_tensor &b,
                       const acl_tensor &mean, const acl_tensor &rstd, aclDataType grad_weight, aclDataType grad_bias) {
    gradients g{acl_tensor(DATA, x.type()), acl_tensor(COLUMNS, grad_weight), acl_tensor(COLUMNS, grad_bias)};
    const auto shape = int_array(COLUMNS);
    const auto mask = mask_of(true, true, true);
    expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, dy.get(), x.get(), shape.get(),
                mean.get(), rstd.get(), w.get(), b.get(), mask.get(), g.input.get(), g.weight.get(), g.bias.get());
    return g;
}

void check_backward(aclDataType data, const side_types &t) {
    const acl_tensor x = normal(DATA, data, 0.25, 1.5, 1), dy = normal(DATA, data, 0, 1, 2);
    const acl_tensor w = normal(COLUMNS, t.weight, 1, 0.5, 3), b = normal(COLUMNS, t.bias, 0, 1, 4);
    const acl_tensor mean = normal(ROWS, t.mean, 0.25, 0.1, 5), rstd = normal(ROWS, t.rstd, 1, 0.1, 6);
    const gradients got = run_backward(x, dy, w, b, mean, rstd, t.grad_weight, t.grad_bias);
    const gradients expected = run_backward(x, dy, as(w, ACL_FLOAT), as(b, ACL_FLOAT), as(mean, ACL_FLOAT),
                                            as(rstd, ACL_FLOAT), ACL_FLOAT, ACL_FLOAT);
    EXPECT_EQ(got.input.bits(), expected.input.bits());
    EXPECT_EQ(got.weight.bits(), as(expected.weight, t.grad_weight).bits());
    EXPECT_EQ(got.bias.bits(), as(expected.bias, t.grad_bias).bits());
}

TEST(aclnn_types, each_of_backward_has_its_own) {
    for (const aclDataType data : TYPES)
        for (const aclDataType one : TYPES)
            for (const aclDataType other : TYPES) {
                SCOPED_TRACE(testing::Message() << data << " " << one << " " << other);
                check_backward(data, {one, other, one, other, one, other});
                check_backward(data, {other, one, other, ACL_FLOAT, ACL_FLOAT, one});
            }
}

// Out, mean and rstd.
using outputs = std::array<acl_tensor, 3>;

// Calls first(arguments..., bytes, executor), then second.
template <typename First, typename Second>
outputs run_forward(aclDataType data, aclDataType mean, aclDataType rstd, layout how, First &&first, Second &&second) {
    const acl_tensor x = normal(DATA, data, 0.25, 1.5, 1), w = normal(COLUMNS, data, 1, 0.5, 2),
                     b = normal(COLUMNS, data, 0, 1, 3);
    outputs result = {acl_tensor(DATA, data), acl_tensor(ROWS, mean, how), acl_tensor(ROWS, rstd)};
    const auto shape = int_array(COLUMNS);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    EXPECT_EQ(first(x.get(), shape.get(), w.get(), b.get(), 1e-5, result[0].get(), result[1].get(), result[2].get(),
                    &bytes, &executor),
              ACLNN_SUCCESS)
        << aclGetRecentErrMsg();
    EXPECT_EQ(run_exactly(second, bytes, executor), ACLNN_SUCCESS);
    return result;
}

outputs run_layer_norm(aclDataType data, aclDataType mean, aclDataType rstd, layout how = layout::dense) {
    return run_forward(data, mean, rstd, how, aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm);
}

TEST(aclnn_types, mean_and_rstd_have_their_own) {
    for (const aclDataType data : TYPES) {
        const outputs expected = run_layer_norm(data, ACL_FLOAT, ACL_FLOAT);
        for (const aclDataType mean : TYPES)
            for (const aclDataType rstd : TYPES)
                for (const layout how : {layout::dense, layout::gaps}) {
                    const outputs got = run_layer_norm(data, mean, rstd, how);
                    EXPECT_EQ(got[0].bits(), expected[0].bits());
                    EXPECT_EQ(got[1].bits(), as(expected[1], mean).bits());
                    EXPECT_EQ(got[2].bits(), as(expected[2], rstd).bits());
                    EXPECT_TRUE(got[1].gaps_are_untouched());
                }
    }
}

// An output that the mask leaves out may be anything.
TEST(aclnn_types, masked_outputs_are_not_looked_at) {
    small_problem s;
    backward_arguments a(s);
    const auto mask = mask_of(true, false, false);
    const int64_t dims[9] = {-1, 2, 3, 4, 5, 6, 7, 8, 9};
    const acl_owned<aclTensor> nonsense(
        aclCreateTensor(dims, 9, ACL_COMPLEX64, dims, -5, ACL_FORMAT_FRACTAL_NZ, dims, 9, nullptr));
    a.mask = mask.get();
    a.grad_weight = a.grad_bias = nonsense.get();
    ASSERT_EQ(a.first_call(), ACLNN_SUCCESS) << aclGetRecentErrMsg();
    EXPECT_EQ(run_exactly(aclnnLayerNormBackward, s.bytes, s.executor), ACLNN_SUCCESS);
}

// ---------------------------------------------------------------- other names

auto with_mode(int32_t mode) {
    return [mode](auto x, auto shape, auto w, auto b, double eps, auto out, auto mean, auto rstd, auto bytes,
                  auto executor) {
        return aclnnLayerNormWithImplModeGetWorkspaceSize(x, shape, w, b, eps, out, mean, rstd, mode, bytes, executor);
    };
}

void expect_equal(const outputs &got, const outputs &expected) {
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i].bits(), expected[i].bits()) << i;
}

TEST(aclnn_other_names, have_the_same_bits) {
    for (const aclDataType data : TYPES) {
        const outputs expected = run_layer_norm(data, data, data);
        for (const int32_t mode : {0, 1, 2})
            if (mode != 2 || data == ACL_FLOAT16)
                expect_equal(run_forward(data, data, data, layout::dense, with_mode(mode), aclnnLayerNormWithImplMode),
                             expected);
        expect_equal(
            run_forward(data, data, data, layout::dense, aclnnFastLayerNormGetWorkspaceSize, aclnnFastLayerNorm),
            expected);
    }
}

} // namespace
} // namespace jitnorm::tests
