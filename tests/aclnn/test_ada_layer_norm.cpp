// SPDX-License-Identifier: Apache-2.0
// aclnnAdaLayerNorm and aclnnAdaLayerNormV2: the formula in double, with the rows of every rank, layout and type, and
// refusals.
#include <cmath>

#include "aclnnop/aclnn_ada_layer_norm.h"
#include "aclnnop/aclnn_ada_layer_norm_v2.h"
#include "family_rig.hpp"

using namespace jitnorm::tests;

namespace {

constexpr double EPSILON = 1e-5;
constexpr aclnnStatus INVALID_PARAMETER = 161002;

struct ada_case {
    dims_t dims = {2, 5, 6};
    aclDataType type = ACL_FLOAT, weights = ACL_FLOAT;
    bool has_weight = false, has_bias = false, keeps_one = false; // keeps_one: scale and shift are [B..., 1, H]
    bool wants_mean = true, wants_rstd = true;
    layout how = layout::dense;

    dims_t modulation() const {
        dims_t result = dims;
        result[result.size() - 2] = 1;
        if (!keeps_one) result.erase(result.end() - 2);
        return result;
    }
    dims_t statistics() const {
        dims_t result = dims;
        result.back() = 1;
        return result;
    }
};

struct ada_problem {
    ada_case c;
    acl_tensor x, scale, shift, weight, bias, out, mean, rstd;

    explicit ada_problem(const ada_case &what = {})
        : c(what), x(filled(c.dims, c.type, 0.5, 1, 1, c.how)), scale(filled(c.modulation(), c.type, 0, 0.5, 2, c.how)),
          shift(filled(c.modulation(), c.type, 0, 1, 3, c.how)),
          weight(filled({c.dims.back()}, c.weights, 1, 0.5, 4, c.how)),
          bias(filled({c.dims.back()}, c.weights, 0, 1, 5, c.how)), out(c.dims, c.type, c.how),
          mean(c.statistics(), c.type, c.how), rstd(c.statistics(), c.type, c.how) {}

    void run_v1() {
        expect_runs(aclnnAdaLayerNormGetWorkspaceSize, aclnnAdaLayerNorm, x.get(), scale.get(), shift.get(),
                    c.has_weight ? weight.get() : nullptr, c.has_bias ? bias.get() : nullptr, EPSILON, out.get());
    }
    void run_v2() {
        expect_runs(aclnnAdaLayerNormV2GetWorkspaceSize, aclnnAdaLayerNormV2, x.get(), scale.get(), shift.get(),
                    c.has_weight ? weight.get() : nullptr, c.has_bias ? bias.get() : nullptr, EPSILON, out.get(),
                    c.wants_mean ? mean.get() : nullptr, c.wants_rstd ? rstd.get() : nullptr);
    }

    // The bound allows for the rounding to the type, of values below 16.
    void expect_formula(bool has_statistics) const {
        const double unit = c.type == ACL_FLOAT ? 1e-5 : c.type == ACL_FLOAT16 ? 0x1p-8 : 0x1p-5;
        const size_t H = size_t(c.dims.back()), S = size_t(c.dims[c.dims.size() - 2]);
        const values xs = x.values(), a = scale.values(), b = shift.values(), w = weight.values(), v = bias.values(),
                     y = out.values(), means = mean.values(), rstds = rstd.values();
        for (size_t row = 0; row < xs.size() / H; ++row) {
            const double *line = &xs[row * H];
            double m = 0, squares = 0;
            for (size_t i = 0; i < H; ++i) m += line[i] / double(H);
            for (size_t i = 0; i < H; ++i) squares += (line[i] - m) * (line[i] - m) / double(H);
            const double r = 1 / std::sqrt(squares + EPSILON);
            if (has_statistics) {
                EXPECT_NEAR(c.wants_mean ? means[row] : m, m, unit);
                EXPECT_NEAR(c.wants_rstd ? rstds[row] : r, r, unit * r);
            }
            for (size_t i = 0; i < H; ++i) {
                const double n = (line[i] - m) * r * (c.has_weight ? w[i] : 1) + (c.has_bias ? v[i] : 0);
                const size_t at = row / S * H + i;
                EXPECT_NEAR(y[row * H + i], n * (1 + a[at]) + b[at], unit) << "row " << row << " column " << i;
            }
        }
        EXPECT_TRUE(out.gaps_are_untouched() && mean.gaps_are_untouched() && rstd.gaps_are_untouched());
    }
};

TEST(ada_layer_norm, ranks_types_layouts_and_weights) {
    size_t turn = 0;
    for (const dims_t &dims : {dims_t{5, 6}, dims_t{2, 5, 6}, dims_t{2, 3, 5, 70}, dims_t{2, 1, 2, 1, 2, 1, 3, 9}})
        for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16})
            for (const layout how : {layout::dense, layout::reversed, layout::gaps})
                for (int weights = 0; weights < 4; ++weights) {
                    ada_case c = {.dims = dims, .type = type, .weights = type};
                    c.has_weight = weights % 2 != 0;
                    c.has_bias = weights >= 2;
                    c.keeps_one = turn % 2 == 0;
                    c.how = how;
                    SCOPED_TRACE(testing::Message() << dims.size() << " dimensions, type " << type << ", layout "
                                                    << int(how) << ", weights " << weights);
                    ada_problem first(c);
                    first.run_v1();
                    first.expect_formula(false);
                    c.wants_mean = turn % 3 != 0;
                    c.wants_rstd = turn % 3 != 1;
                    if (turn++ % 2 == 0) c.weights = ACL_FLOAT;
                    ada_problem second(c);
                    second.run_v2();
                    second.expect_formula(true);
                    EXPECT_TRUE(c.wants_mean || second.mean.is_untouched());
                    EXPECT_TRUE(c.wants_rstd || second.rstd.is_untouched());
                }
}

// The scale and the shift of a batch may be pieces of one tensor of all modulations.
TEST(ada_layer_norm, pieces_of_a_tensor_of_modulations) {
    ada_problem p({.dims = {3, 4, 8}});
    const acl_tensor scale({3, 8}, ACL_FLOAT, {48, 1}, 8), shift({3, 8}, ACL_FLOAT, {48, 1}, 16);
    scale.fill(p.scale.values());
    shift.fill(p.shift.values());
    p.run_v1();
    const values expected = p.out.values();
    expect_runs(aclnnAdaLayerNormGetWorkspaceSize, aclnnAdaLayerNorm, p.x.get(), scale.get(), shift.get(), nullptr,
                nullptr, EPSILON, p.out.get());
    EXPECT_EQ(p.out.values(), expected);
}

TEST(ada_layer_norm, what_is_refused) {
    const ada_problem p;
    const auto refuse = [&](const char *what, const acl_tensor &x, const acl_tensor &scale, const acl_tensor &weight,
                            const acl_tensor &bias, const acl_tensor &out, const acl_tensor &mean, double epsilon) {
        expect_refused(INVALID_PARAMETER, what, [&](uint64_t *bytes, aclOpExecutor **executor) {
            return aclnnAdaLayerNormV2GetWorkspaceSize(x.get(), scale.get(), p.shift.get(), weight.get(), bias.get(),
                                                       epsilon, out.get(), mean.get(), p.rstd.get(), bytes, executor);
        });
    };
    const acl_tensor vector({6}, ACL_FLOAT), narrow({6}, ACL_BF16), empty({2, 0, 6}, ACL_FLOAT);
    refuse("x of one dimension", vector, p.scale, p.weight, p.bias, p.out, p.mean, EPSILON);
    refuse("x without elements", empty, p.scale, p.weight, p.bias, p.out, p.mean, EPSILON);
    refuse("scale of one batch", p.x, vector, p.weight, p.bias, p.out, p.mean, EPSILON);
    refuse("scale of each row", p.x, p.x, p.weight, p.bias, p.out, p.mean, EPSILON);
    refuse("scale of another type", p.x, acl_tensor({2, 6}, ACL_BF16), p.weight, p.bias, p.out, p.mean, EPSILON);
    refuse("weight of another type", p.x, p.scale, narrow, narrow, p.out, p.mean, EPSILON);
    refuse("weight and bias of two types", p.x, p.scale, p.weight, narrow, p.out, p.mean, EPSILON);
    refuse("out of another type", p.x, p.scale, p.weight, p.bias, acl_tensor({2, 5, 6}, ACL_BF16), p.mean, EPSILON);
    refuse("mean without the last 1", p.x, p.scale, p.weight, p.bias, p.out, acl_tensor({2, 5}, ACL_FLOAT), EPSILON);
    refuse("mean of another type", p.x, p.scale, p.weight, p.bias, p.out, acl_tensor({2, 5, 1}, ACL_BF16), EPSILON);
    refuse("a negative epsilon", p.x, p.scale, p.weight, p.bias, p.out, p.mean, -1.0);
    ada_problem half({.type = ACL_BF16, .weights = ACL_FLOAT, .has_weight = true});
    expect_refused(INVALID_PARAMETER, "FLOAT weights of the first version",
                   [&](uint64_t *bytes, aclOpExecutor **executor) {
                       return aclnnAdaLayerNormGetWorkspaceSize(half.x.get(), half.scale.get(), half.shift.get(),
                                                                half.weight.get(), nullptr, EPSILON, half.out.get(),
                                                                bytes, executor);
                   });
}

} // namespace
