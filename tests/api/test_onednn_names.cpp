// SPDX-License-Identifier: Apache-2.0
// The part of oneDNN's C++ interface that programs of layer normalization use, only by oneDNN's names: it works, or is
// refused as by oneDNN.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "dnnl.hpp"
#include "dnnl_debug.h"

// Programs may add to the namespace.
namespace dnnl {
const char *name_of(memory::data_type type) { return dnnl_dt2str(memory::convert_to_c(type)); }
} // namespace dnnl

namespace {

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;
using forward = dnnl::layer_normalization_forward;
using backward = dnnl::layer_normalization_backward;
using dnnl::normalization_flags;

const dnnl::engine &cpu() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

memory::desc rows() { return {{2, 4}, dt::f32, tag::nc}; }

forward::primitive_desc inference(const memory::desc &data = rows(),
                                  normalization_flags flags = normalization_flags::none,
                                  const dnnl::primitive_attr &attr = {}) {
    return {cpu(), dnnl::prop_kind::forward_inference, data, data, 1e-5f, flags, attr};
}

void execute(const dnnl::primitive &primitive, const std::unordered_map<int, memory> &args) {
    dnnl::stream stream(cpu());
    primitive.execute(stream, args);
    stream.wait();
}

dnnl_status_t status_of(const std::function<void()> &body) {
    try {
        body();
    } catch (const dnnl::error &error) {
        return error.status;
    }
    return dnnl_success;
}

TEST(onednn_names, may_be_added_to) { EXPECT_STREQ(dnnl::name_of(dt::bf16), "bf16"); }

TEST(onednn_names, memories_by_index) {
    float data[8] = {1};
    const memory given(rows(), cpu(), data), listed(rows(), cpu(), std::vector<void *>{data});
    EXPECT_EQ(given.get_data_handle(0), data);
    EXPECT_EQ(given.get_desc(), rows());
    EXPECT_NE(memory(rows(), cpu()).get_data_handle(), nullptr);
    EXPECT_EQ(listed.get_data_handle(), data);
    EXPECT_EQ(status_of([&] { given.get_data_handle(1); }), dnnl_invalid_arguments);
    given.set_data_handle(nullptr, 0);
    EXPECT_EQ(given.get_data_handle(), nullptr);
    given.set_data_handle(data);
    float *mapped = given.map_data<float>(0);
    EXPECT_EQ(mapped[0], 1.f);
    given.unmap_data(mapped, 0);
    EXPECT_EQ(rows().get_size(0), sizeof data);
    EXPECT_EQ(rows().get_size(1), 0u);
    EXPECT_EQ(status_of([&] { memory(rows(), cpu(), std::vector<void *>{data, data}); }), dnnl_invalid_arguments);
}

TEST(onednn_names, host_scalars) {
    const memory scalar(memory::desc::host_scalar(dt::f32), 2.5f);
    EXPECT_EQ(scalar.get_host_scalar_value<float>(), 2.5f);
    scalar.set_host_scalar_value(3.f);
    EXPECT_EQ(*scalar.map_data<float>(), 3.f);
    EXPECT_EQ(scalar.get_desc().get_size(), sizeof(float));
    EXPECT_EQ(scalar.get_desc().get_format_kind(), memory::format_kind::host_scalar);
    EXPECT_FALSE(scalar.get_engine());
    EXPECT_EQ(status_of([] { memory(memory::desc::host_scalar(dt::f32), 2.5); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { scalar.get_host_scalar_value<double>(); }), dnnl_invalid_arguments);
    float other = 4.f;
    EXPECT_EQ(scalar.get_data_handle(), nullptr);
    EXPECT_EQ(status_of([&] { scalar.set_data_handle(&other); }), dnnl_invalid_arguments);
    EXPECT_EQ(scalar.get_host_scalar_value<float>(), 3.f);
}

TEST(onednn_names, there_is_one_buffer) {
    EXPECT_EQ(rows().get_num_handles(), 1);
    EXPECT_EQ(rows().get_data_type(0), dt::f32);
    EXPECT_EQ(rows().get_data_type(1), dt::undef);
}

TEST(onednn_names, binary_post_ops_have_no_second_source) {
    dnnl::post_ops ops;
    ops.append_binary(dnnl::algorithm::binary_mul, rows(), memory::desc());
    dnnl::algorithm alg = dnnl::algorithm::undef;
    memory::desc src1, src2 = rows();
    ops.get_params_binary(0, alg, src1, src2);
    EXPECT_EQ(alg, dnnl::algorithm::binary_mul);
    EXPECT_EQ(src1, rows());
    EXPECT_TRUE(src2.is_zero());
    EXPECT_EQ(status_of([&] { ops.append_binary(alg, rows(), rows()); }), dnnl_invalid_arguments);
}

// Kinds and instruction sets that other operations or later processors have.
TEST(onednn_names, values_that_change_nothing_here) {
    for (const auto kind : {dnnl::prop_kind::backward_weights, dnnl::prop_kind::backward_bias})
        EXPECT_EQ(status_of([&] {
                      backward::primitive_desc(cpu(), kind, rows(), rows(), rows(), 0.f, normalization_flags::none, {});
                  }),
                  dnnl_invalid_arguments);
    for (const auto isa : {dnnl::cpu_isa::avx10_2_512, dnnl::cpu_isa::avx10_2_512_amx_2})
        EXPECT_EQ(dnnl::set_max_cpu_isa(isa), dnnl::status::success);
    EXPECT_EQ(dnnl::set_max_cpu_isa(dnnl::cpu_isa::isa_default), dnnl::status::success);
}

TEST(onednn_names, views_of_descriptors) {
    const memory::desc md({4, 6}, dt::f32, tag::ab);
    EXPECT_EQ(md.reshape({2, 2, 6}), memory::desc({2, 2, 6}, dt::f32, tag::abc));
    EXPECT_EQ(md.permute_axes({1, 0}), memory::desc({6, 4}, dt::f32, tag::ba));
    const memory::desc part = md.submemory_desc({2, 3}, {1, 2});
    EXPECT_EQ(part.get_strides(), (memory::dims{6, 1}));
    EXPECT_EQ(part.get_submemory_offset(), 8);
    EXPECT_EQ(memory::desc({3, 20}, dt::f32, tag::aB8b).get_padded_offsets(), (memory::dims{0, 0}));
    EXPECT_FALSE(md.reshape({5}, true));
    EXPECT_FALSE(md.permute_axes({1, 1}, true));
    EXPECT_FALSE(md.submemory_desc({5, 6}, {0, 0}, true));
    EXPECT_EQ(status_of([&] { md.reshape({5}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.permute_axes({1, 1}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.permute_axes({1}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.submemory_desc({5, 6}, {0, 0}); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { md.submemory_desc({5}, {0}); }), dnnl_invalid_arguments);
}

TEST(onednn_names, attributes_that_are_refused_at_creation) {
    const struct {
        const char *reason;
        std::function<void(dnnl::primitive_attr &)> request;
    } refused[] = {
        {"zero point", [](auto &a) { a.set_zero_points_mask(DNNL_ARG_SRC, 0); }},
        {"zero point", [](auto &a) { a.set_zero_points(DNNL_ARG_DST, 0, {}); }},
        {"zero point", [](auto &a) { a.set_host_zero_point(DNNL_ARG_DST); }},
        {"on the host", [](auto &a) { a.set_host_scale(DNNL_ARG_SRC); }},
        {"mask other than 0", [](auto &a) { a.set_scales_mask(DNNL_ARG_SRC, 1 << 1); }},
        {"mask other than 0",
         [](auto &a) {
             a.set_scales(DNNL_ARG_SRC, 3, {1, 2}, dt::bf16, false, dnnl::quantization_mode::dynamic_fp);
         }},
        {"stochastic rounding", [](auto &a) { a.set_rounding_mode(DNNL_ARG_DST, dnnl::rounding_mode::stochastic); }},
        {"applies to integers", [](auto &a) { a.set_fpmath_mode(dnnl::fpmath_mode::any, true); }},
        {"accumulation mode", [](auto &a) { a.set_accumulation_mode(dnnl::accumulation_mode::f16); }},
        {"accumulation mode", [](auto &a) { a.set_accumulation_mode(dnnl::accumulation_mode::f32); }},
        {"prelu",
         [](auto &a) {
             dnnl::post_ops ops;
             int mask = 0;
             ops.append_prelu(1 << 1);
             ops.get_params_prelu(0, mask);
             EXPECT_EQ(mask, 2);
             EXPECT_EQ(ops.kind(0), dnnl::primitive::kind::prelu);
             a.set_post_ops(ops);
         }},
    };
    for (const auto &[reason, request] : refused) {
        dnnl::primitive_attr attr;
        request(attr);
        try {
            inference(rows(), normalization_flags::none, attr);
            ADD_FAILURE() << reason;
        } catch (const dnnl::error &error) {
            EXPECT_EQ(error.status, dnnl_unimplemented);
            EXPECT_NE(std::strstr(error.what(), reason), nullptr) << error.what();
        }
    }
}

TEST(onednn_names, cache_blobs) {
    const forward::primitive_desc desc = inference();
    const forward first(desc);
    const std::vector<uint8_t> blob = first.get_cache_blob(), id = desc.get_cache_blob_id();
    EXPECT_TRUE(blob.empty());
    EXPECT_TRUE(id.empty());
    float data[8] = {1, 2, 3, 4, 5, 5, 5, 5};
    const memory both(rows(), cpu(), data);
    execute(forward(desc, blob), {{DNNL_ARG_SRC, both}, {DNNL_ARG_DST, both}});
    EXPECT_LT(data[0], 0.f);
    EXPECT_EQ(data[7], 0.f);
    EXPECT_EQ(status_of([&] { forward(desc, std::vector<uint8_t>{1}); }), dnnl_invalid_arguments);
}

// With rms_norm the mean has a descriptor, memories are made of it and handed over, and it is not looked at. Backward
// is the example of docs/porting.md: the gradient of src / root mean square, which is 5, without the term of a mean.
TEST(onednn_names, rms_norm_there_and_back) {
    const memory::desc row({1, 2}, dt::f32, tag::nc), of_row({1}, dt::f32, tag::a);
    const auto flags = normalization_flags::rms_norm;
    const forward::primitive_desc there(cpu(), dnnl::prop_kind::forward_training, row, row, 0.f, flags);
    const backward::primitive_desc back(cpu(), dnnl::prop_kind::backward_data, row, row, row, 0.f, flags, there);
    for (const memory::desc &statistic : {there.mean_desc(), there.variance_desc(), back.mean_desc()})
        EXPECT_EQ(statistic, of_row);
    float src[] = {1, 7}, dst[2], mean[] = {9}, variance[1], diff_dst[] = {1, 0}, diff_src[2];
    const std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, memory(row, cpu(), src)},
                                                  {DNNL_ARG_MEAN, memory(there.mean_desc(), cpu(), mean)},
                                                  {DNNL_ARG_VARIANCE, memory(there.variance_desc(), cpu(), variance)}};
    std::unordered_map<int, memory> forward_args = args, back_args = args;
    forward_args.emplace(DNNL_ARG_DST, memory(row, cpu(), dst));
    back_args.emplace(DNNL_ARG_DIFF_DST, memory(row, cpu(), diff_dst));
    back_args.emplace(DNNL_ARG_DIFF_SRC, memory(row, cpu(), diff_src));
    execute(forward(there), forward_args);
    execute(backward(back), back_args);
    EXPECT_EQ(variance[0], 25);
    EXPECT_EQ(mean[0], 9);
    EXPECT_FLOAT_EQ(dst[1], 7 / 5.f);
    EXPECT_NEAR(diff_src[0], 0.196, 1e-7);  // b^2 / (r * (a^2 + b^2))
    EXPECT_NEAR(diff_src[1], -0.028, 1e-7); // -a * b / (r * (a^2 + b^2))
}

} // namespace
