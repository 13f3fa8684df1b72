// SPDX-License-Identifier: Apache-2.0
// A program written against oneDNN's C++ names runs unchanged with the headers of jitnorm::onednn.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "dnnl.hpp"

namespace {

using tag = dnnl::memory::format_tag;
using dt = dnnl::memory::data_type;

void write_to_memory(const std::vector<float> &values, const dnnl::memory &mem) {
    void *data = mem.get_data_handle();
    ASSERT_EQ(mem.get_desc().get_size(), values.size() * sizeof(float));
    std::memcpy(data, values.data(), values.size() * sizeof(float));
}

struct model {
    dnnl::engine eng{dnnl::engine::kind::cpu, 0};
    dnnl::stream strm{eng};
    const dnnl::memory::dims src_dims = {2, 2, 4}, stat_dims = {2, 2}, weights_dims = {4};
    dnnl::memory::desc src_md{src_dims, dt::f32, tag::tnc};
    dnnl::memory::desc dst_md{src_dims, dt::f32, tag::tnc};
    dnnl::memory::desc stat_md{stat_dims, dt::f32, tag::tn};
    dnnl::memory::desc scaleshift_md{weights_dims, dt::f32, tag::x};
    const dnnl::normalization_flags flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
    const float epsilon = 1.e-10f;
    dnnl::primitive_attr attr;
    dnnl::layer_normalization_forward::primitive_desc fwd_pd;
    dnnl::memory src, mean, variance, scale;

    model() {
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        fwd_pd = dnnl::layer_normalization_forward::primitive_desc(eng, dnnl::prop_kind::forward_training, src_md,
                                                                   dst_md, stat_md, epsilon, flags, attr);
        src = dnnl::memory(fwd_pd.src_desc(), eng);
        mean = dnnl::memory(fwd_pd.mean_desc(), eng);
        variance = dnnl::memory(fwd_pd.variance_desc(), eng);
        scale = dnnl::memory(fwd_pd.weights_desc(), eng);
        write_to_memory({1, 2, 3, 4, 2, 2, 2, 2, 4, 3, 2, 1, -1, 1, -1, 1}, src);
        write_to_memory({1, 1, 2, 1}, scale);
    }
};

TEST(porting, forward_training) {
    model m;
    dnnl::memory shift(m.scaleshift_md, m.eng), dst(m.fwd_pd.dst_desc(), m.eng);
    dnnl::memory scratchpad(m.fwd_pd.scratchpad_desc(), m.eng);
    write_to_memory({0, 0, 0, 10}, shift);

    std::unordered_map<int, dnnl::memory> args;
    args.insert({DNNL_ARG_SRC, m.src});
    args.insert({DNNL_ARG_MEAN, m.mean});
    args.insert({DNNL_ARG_VARIANCE, m.variance});
    args.insert({DNNL_ARG_SCALE, m.scale});
    args.insert({DNNL_ARG_SHIFT, shift});
    args.insert({DNNL_ARG_DST, dst});
    args.insert({DNNL_ARG_SCRATCHPAD, scratchpad}); // whatever its size
    dnnl::layer_normalization_forward(m.fwd_pd).execute(m.strm, args);
    m.strm.wait();

    const float *mean = static_cast<const float *>(m.mean.get_data_handle());
    const float *variance = static_cast<const float *>(m.variance.get_data_handle());
    const float *y = static_cast<const float *>(dst.get_data_handle());
    EXPECT_EQ(mean[0], 2.5f);
    EXPECT_EQ(variance[0], 1.25f);
    EXPECT_EQ(variance[1], 0.f);
    EXPECT_NEAR(y[0], -1.5 / std::sqrt(1.25), 1e-6);
    EXPECT_NEAR(y[2], 2 * 0.5 / std::sqrt(1.25), 1e-6);
    EXPECT_EQ(y[7], 10.f); // a constant row is its shift
    EXPECT_FLOAT_EQ(y[15], 11.f);
}

TEST(porting, backward) {
    model m;
    write_to_memory({2.5f, 2, 2.5f, 0}, m.mean);
    write_to_memory({1.25f, 1, 1.25f, 1}, m.variance);
    const auto bwd_pd = dnnl::layer_normalization_backward::primitive_desc(
        m.eng, dnnl::prop_kind::backward, m.src_md, m.dst_md, m.src_md, m.stat_md, m.epsilon, m.flags, m.fwd_pd);
    dnnl::memory diff_dst(bwd_pd.diff_dst_desc(), m.eng), diff_src(bwd_pd.diff_src_desc(), m.eng);
    dnnl::memory diff_scale(bwd_pd.diff_weights_desc(), m.eng), diff_shift(bwd_pd.diff_weights_desc(), m.eng);
    write_to_memory({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, diff_dst);

    dnnl::layer_normalization_backward(bwd_pd).execute(m.strm, {{DNNL_ARG_SRC, m.src},
                                                                {DNNL_ARG_MEAN, m.mean},
                                                                {DNNL_ARG_VARIANCE, m.variance},
                                                                {DNNL_ARG_SCALE, m.scale},
                                                                {DNNL_ARG_DIFF_DST, diff_dst},
                                                                {DNNL_ARG_DIFF_SRC, diff_src},
                                                                {DNNL_ARG_DIFF_SCALE, diff_scale},
                                                                {DNNL_ARG_DIFF_SHIFT, diff_shift}});
    m.strm.wait();
    const float *gamma = static_cast<const float *>(diff_scale.get_data_handle());
    const float *beta = static_cast<const float *>(diff_shift.get_data_handle());
    const float expected_gamma[] = {-1, 2, -3, 4}, expected_beta[] = {1, 2, 3, 4};
    for (int c = 0; c < 4; ++c) {
        EXPECT_FLOAT_EQ(gamma[c], expected_gamma[c]);
        EXPECT_FLOAT_EQ(beta[c], expected_beta[c]);
    }
}

// The example of docs/porting.md: the gradient of src / root mean square, which is 5, without the term of a mean.
TEST(porting, backward_with_rms_norm_is_the_gradient) {
    const dnnl::engine eng(dnnl::engine::kind::cpu, 0);
    dnnl::stream strm(eng);
    const dnnl::memory::desc row({1, 2}, dt::f32, tag::nc);
    const auto flags = dnnl::normalization_flags::rms_norm;
    const dnnl::layer_normalization_forward::primitive_desc forward(eng, dnnl::prop_kind::forward_training, row, row,
                                                                    0.f, flags);
    const dnnl::layer_normalization_backward::primitive_desc backward(eng, dnnl::prop_kind::backward_data, row, row,
                                                                      row, 0.f, flags, forward);
    float src[] = {1, 7}, variance[] = {25}, diff_dst[] = {1, 0}, diff_src[2];
    dnnl::layer_normalization_backward(backward).execute(
        strm, {{DNNL_ARG_SRC, dnnl::memory(row, eng, src)},
               {DNNL_ARG_VARIANCE, dnnl::memory(backward.variance_desc(), eng, variance)},
               {DNNL_ARG_DIFF_DST, dnnl::memory(row, eng, diff_dst)},
               {DNNL_ARG_DIFF_SRC, dnnl::memory(row, eng, diff_src)}});
    const auto dst_0 = [](double a, double b) { return a / std::sqrt((a * a + b * b) / 2); };
    const double h = 1e-5;
    EXPECT_NEAR(diff_src[0], (dst_0(1 + h, 7) - dst_0(1 - h, 7)) / (2 * h), 1e-7);
    EXPECT_NEAR(diff_src[1], (dst_0(1, 7 + h) - dst_0(1, 7 - h)) / (2 * h), 1e-7);
    EXPECT_NEAR(diff_src[0], 0.196, 1e-7);
    EXPECT_NEAR(diff_src[1], -0.028, 1e-7);
}

TEST(porting, errors_and_post_ops) {
    model m;
    try {
        dnnl::memory::desc({2, 2}, dt::f32, tag::abc);
        FAIL() << "a tag of other dimensions";
    } catch (dnnl::error &e) {
        EXPECT_EQ(static_cast<dnnl::status>(e.status), dnnl::status::invalid_arguments);
    }
    dnnl::post_ops ops;
    ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    dnnl::layer_normalization_forward::primitive_desc pd(m.eng, dnnl::prop_kind::forward_inference, m.src_md, m.dst_md,
                                                         m.epsilon, dnnl::normalization_flags::none, attr);
    EXPECT_EQ(pd.get_primitive_attr().get_post_ops().len(), 1);
}

} // namespace
