// SPDX-License-Identifier: Apache-2.0
#include "chain.hpp"

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "reference_rows.hpp"

namespace jitnorm::tests {

namespace {

std::string text(const dims_t &dims) {
    std::string result;
    for (const int64_t dim : dims) result += (result.empty() ? "" : "x") + std::to_string(dim);
    return result;
}

} // namespace

dims_t chain_case::statistics_shape() const {
    dims_t shape(dims.begin(), dims.end() - int64_t(normalized));
    if (!statistics_without_ones || shape.empty()) shape.resize(dims.size(), 1);
    return shape;
}

std::string chain_case::name() const {
    return text(dims) + " over " + text(normalized_shape()) + " data " + std::to_string(data) + " affine " +
           std::to_string(affine) + " statistics " + std::to_string(statistics) + (weight ? "" : " no weight") +
           (bias ? "" : " no bias") + " mask " + std::to_string(mask[0]) + std::to_string(mask[1]) +
           std::to_string(mask[2]);
}

chain::chain(const chain_case &c)
    : x(c.dims, c.data, c.x), w(c.normalized_shape(), c.affine, c.w), b(c.normalized_shape(), c.affine, c.b),
      y(c.dims, c.data, c.y), mu(c.statistics_shape(), c.statistics, c.mu),
      rs(c.statistics_shape(), c.statistics, c.rs), dy(c.dims, c.data, c.dy), dx(c.dims, c.data, c.dx),
      dw(c.normalized_shape(), c.affine, c.dw), db(c.normalized_shape(), c.affine, c.db), what_(c) {
    x.fill_normal(c.mean, c.deviation, 1);
    w.fill_normal(1, 0.5, 2);
    b.fill_normal(0, 1, 3);
    dy.fill_normal(0.1, 1, 4);
}

void chain::run_forward() {
    expect_runs(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, x.get(), int_array(what_.normalized_shape()).get(),
                what_.weight ? w.get() : nullptr, what_.bias ? b.get() : nullptr, what_.eps, y.get(), mu.get(),
                rs.get());
    for (const acl_tensor *t : {&y, &mu, &rs}) EXPECT_TRUE(t->gaps_are_untouched()) << what_.name();
}

void chain::run_backward() {
    const auto given = [&](size_t i, const acl_tensor &t) {
        return what_.mask[i] || !what_.masked_are_null ? t.get() : nullptr;
    };
    expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, dy.get(), x.get(),
                int_array(what_.normalized_shape()).get(), mu.get(), rs.get(), what_.weight ? w.get() : nullptr,
                what_.bias ? b.get() : nullptr, mask_of(what_.mask[0], what_.mask[1], what_.mask[2]).get(),
                given(0, dx), given(1, dw), given(2, db));
    const acl_tensor *const outputs[] = {&dx, &dw, &db};
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(outputs[i]->gaps_are_untouched()) << what_.name();
        EXPECT_TRUE(what_.mask[i] || outputs[i]->is_untouched()) << what_.name() << " output " << i;
    }
}

void chain::judge() const {
    setup s = {.flags =
                   (what_.weight ? unsigned(jitnorm_use_scale) : 0) | (what_.bias ? unsigned(jitnorm_use_shift) : 0),
               .dims = {dim_t(mu.count()), dim_t(w.count())}};
    s.src_type = s.dst_type = s.diff_src_type = data_type_of(what_.data);
    s.affine_type = data_type_of(what_.affine);
    s.statistics_type = data_type_of(what_.statistics);
    s.form = statistics_form::inverse_deviation;
    expect_reference(s, what_.eps, {{SRC, &x}, {SCALE, &w}, {SHIFT, &b}}, {{DST, &y}, {MEAN, &mu}, {VARIANCE, &rs}});

    s.kind = jitnorm_backward;
    s.flags = jitnorm_use_scale | jitnorm_use_shift;
    s.scale_is_ones = !what_.weight;
    constexpr slot OUTPUTS[] = {DIFF_SRC, DIFF_SCALE, DIFF_SHIFT};
    for (size_t i = 0; i < 3; ++i)
        if (!what_.mask[i]) s.omitted |= bit_of(OUTPUTS[i]);
    expect_reference(s, what_.eps, {{SRC, &x}, {DIFF_DST, &dy}, {MEAN, &mu}, {VARIANCE, &rs}, {SCALE, &w}},
                     {{DIFF_SRC, &dx}, {DIFF_SCALE, &dw}, {DIFF_SHIFT, &db}});
}

std::vector<std::vector<unsigned char>> chain::bits() const {
    return {y.bits(), mu.bits(), rs.bits(), dx.bits(), dw.bits(), db.bits()};
}

void run_and_judge(const chain_case &what) {
    SCOPED_TRACE(what.name());
    chain tensors(what);
    tensors.run_forward();
    tensors.run_backward();
    if (!testing::Test::HasFatalFailure()) tensors.judge();
}

} // namespace jitnorm::tests
