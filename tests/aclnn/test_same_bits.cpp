// SPDX-License-Identifier: Apache-2.0
// The same problem through the primitive and through the two-phase call gives the same bits, where both can say it: one
// normalized dimension, or several without gaps as one; 2 to 5 dimensions; statistics in f32; and for backward an
// epsilon of zero and a variance whose inverse root is the given rstd exactly.
#include <gtest/gtest.h>

#include <cmath>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "chain.hpp"
#include "rig/jitnorm_handle.hpp"

namespace jitnorm::tests {
namespace {

jitnorm_data_type_t primitive_type(aclDataType type) {
    return type == ACL_FLOAT16 ? jitnorm_f16 : type == ACL_BF16 ? jitnorm_bf16 : jitnorm_f32;
}

// The memory of an aclTensor as the primitive takes it: without the normalized dimensions of 1 that statistics have;
// with all normalized dimensions as one, where there are several.
struct primitive_view {
    owned_md md;
    owned_memory memory;

    primitive_view(const acl_tensor &t, layout how, size_t ndims, size_t normalized) {
        dims_t sizes = t.shape(), strides = strides_of(sizes, how);
        for (size_t merged = 1; merged < normalized; ++merged) {
            const int64_t last = sizes.back();
            sizes.pop_back();
            strides.pop_back();
            sizes.back() *= last;
            strides.back() = 1;
        }
        EXPECT_OK(jitnorm_memory_desc_create_with_strides(&md, int(ndims), sizes.data(), primitive_type(t.type()),
                                                          strides.data()));
        EXPECT_OK(jitnorm_memory_create(
            &memory, md, cpu(), static_cast<char *>(t.data()) + offset_of(how) * int64_t(aclDataTypeSize(t.type()))));
    }
};

struct argument {
    int arg;
    const primitive_view *view;
};

void execute(const_jitnorm_primitive_desc_t pd, std::initializer_list<argument> arguments) {
    owned_primitive primitive;
    ASSERT_OK(jitnorm_primitive_create(&primitive, pd));
    owned_stream stream;
    ASSERT_OK(jitnorm_stream_create(&stream, cpu(), jitnorm_stream_in_order));
    std::vector<jitnorm_exec_arg_t> list;
    for (const argument &a : arguments) list.push_back({a.arg, a.view->memory});
    ASSERT_OK(jitnorm_primitive_execute(primitive, stream, int(list.size()), list.data()));
}

void primitive_forward(const chain_case &c, chain &t) {
    const size_t k = c.normalized, ndims = c.dims.size() - k + 1;
    const primitive_view x(t.x, c.x, ndims, k), y(t.y, c.y, ndims, k), mu(t.mu, c.mu, ndims - 1, k),
        rs(t.rs, c.rs, ndims - 1, k), w(t.w, c.w, 1, k), b(t.b, c.b, 1, k);
    owned_pd pd;
    ASSERT_OK(jitnorm_layer_normalization_forward_primitive_desc_create_v2(
        &pd, cpu(), jitnorm_forward_training, x.md, y.md, mu.md, primitive_type(c.affine), float(c.eps),
        jitnorm_use_scale | jitnorm_use_shift, nullptr));
    execute(pd, {{JITNORM_ARG_SRC, &x},
                 {JITNORM_ARG_DST, &y},
                 {JITNORM_ARG_MEAN, &mu},
                 {JITNORM_ARG_VARIANCE, &rs},
                 {JITNORM_ARG_SCALE, &w},
                 {JITNORM_ARG_SHIFT, &b}});
}

void primitive_backward(const chain_case &c, chain &t) {
    const size_t k = c.normalized, ndims = c.dims.size() - k + 1;
    const primitive_view x(t.x, c.x, ndims, k), mu(t.mu, c.mu, ndims - 1, k), variance(t.rs, c.rs, ndims - 1, k),
        w(t.w, c.w, 1, k), dy(t.dy, c.dy, ndims, k), dx(t.dx, c.dx, ndims, k), dw(t.dw, c.dw, 1, k),
        db(t.db, c.db, 1, k);
    owned_pd pd;
    ASSERT_OK(jitnorm_layer_normalization_backward_primitive_desc_create_v2(
        &pd, cpu(), jitnorm_backward, dx.md, dy.md, x.md, mu.md, primitive_type(c.affine), primitive_type(c.affine), 0,
        jitnorm_use_scale | jitnorm_use_shift, nullptr, nullptr));
    execute(pd, {{JITNORM_ARG_SRC, &x},
                 {JITNORM_ARG_MEAN, &mu},
                 {JITNORM_ARG_VARIANCE, &variance},
                 {JITNORM_ARG_SCALE, &w},
                 {JITNORM_ARG_DIFF_DST, &dy},
                 {JITNORM_ARG_DIFF_SRC, &dx},
                 {JITNORM_ARG_DIFF_SCALE, &dw},
                 {JITNORM_ARG_DIFF_SHIFT, &db}});
}

std::vector<chain_case> cases() {
    std::vector<chain_case> result;
    for (const dims_t &dims : {dims_t{16, 768}, {5, 7, 33}, {2, 3, 4, 100}, {2, 3, 2, 3, 17}, {300, 1}, {2, 9000}})
        for (const auto &[data, affine] :
             {std::pair{ACL_FLOAT, ACL_FLOAT}, {ACL_BF16, ACL_FLOAT}, {ACL_BF16, ACL_BF16}, {ACL_FLOAT16, ACL_FLOAT16}})
            for (const layout how : {layout::dense, layout::gaps, layout::reversed}) {
                chain_case c;
                c.dims = dims;
                c.data = data;
                c.affine = affine;
                c.x = c.y = c.dy = c.dx = how;
                result.push_back(c);
            }
    for (const auto &[dims, normalized] : {std::pair<dims_t, size_t>{{7, 5, 33}, 2},
                                           {{3, 4, 5, 6, 7}, 3},
                                           {{2, 2, 2, 2, 3, 3, 3, 5}, 4},
                                           {{2, 2, 1, 3, 4}, 2}}) {
        chain_case c;
        c.dims = dims;
        c.normalized = normalized;
        result.push_back(c);
    }
    return result;
}

TEST(aclnn_same_bits, forward) {
    for (const chain_case &c : cases()) {
        SCOPED_TRACE(c.name());
        chain ours(c), primitive(c);
        ours.run_forward();
        primitive_forward(c, primitive);
        EXPECT_EQ(ours.y.bits(), primitive.y.bits());
        EXPECT_EQ(ours.mu.bits(), primitive.mu.bits());
        // The other statistic is one over the root of the variance: equal but for two roundings to float.
        const auto rstd = ours.rs.values(), variance = primitive.rs.values();
        for (size_t i = 0; i < rstd.size(); ++i)
            EXPECT_NEAR(rstd[i] * std::sqrt(variance[i] + double(float(c.eps))), 1, 2e-7);
    }
}

TEST(aclnn_same_bits, backward) {
    for (const chain_case &c : cases()) {
        SCOPED_TRACE(c.name());
        chain ours(c), primitive(c);
        std::vector<double> rstd(ours.rs.count()), variance(rstd.size());
        for (size_t i = 0; i < rstd.size(); ++i) {
            rstd[i] = std::ldexp(1.0, int(i % 5) - 2);
            variance[i] = 1 / (rstd[i] * rstd[i]);
        }
        for (chain *t : {&ours, &primitive}) t->mu.fill_normal(0.25, 0.1, 5);
        ours.rs.fill(rstd);
        primitive.rs.fill(variance);
        ours.run_backward();
        primitive_backward(c, primitive);
        EXPECT_EQ(ours.dx.bits(), primitive.dx.bits());
        EXPECT_EQ(ours.dw.bits(), primitive.dw.bits());
        EXPECT_EQ(ours.db.bits(), primitive.db.bits());
    }
}

} // namespace
} // namespace jitnorm::tests
