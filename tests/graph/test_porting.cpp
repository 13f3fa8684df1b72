// SPDX-License-Identifier: Apache-2.0
// A program written against oneDNN Graph's C++ names runs unchanged with the headers of jitnorm::onednn.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"

namespace {

using namespace dnnl::graph;
using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;

// A normalization behind another operation, as programs build their graphs.
class porting : public testing::Test {
protected:
    porting() {
        op relu(0, op::kind::ReLU, {raw}, {src}, "relu");
        op norm(1, op::kind::LayerNorm, "norm");
        norm.add_inputs({src, gamma, beta});
        norm.add_outputs({dst});
        norm.set_attr<bool>(op::attr::keep_stats, false);
        norm.set_attr<int64_t>(op::attr::begin_norm_axis, -1);
        norm.set_attr<bool>(op::attr::use_affine, true);
        norm.set_attr<float>(op::attr::epsilon, 0.F);
        EXPECT_EQ(g.add_op(norm), status::success);
        EXPECT_EQ(g.add_op(norm, false), status::invalid_graph_op);
        g.add_op(relu);
        g.finalize();
        partitions = g.get_partitions(partition::policy::fusion);
    }

    const engine eng{engine::kind::cpu, 0};
    const logical_tensor raw{0, data_type::f32, {2, 4}, layout_type::strided};
    const logical_tensor src{1, data_type::f32, {2, 4}, layout_type::strided};
    const logical_tensor gamma{2, data_type::f32, logical_tensor::dims{4}, layout_type::strided,
                               property_type::constant};
    const logical_tensor beta{3, data_type::f32, logical_tensor::dims{4}, layout_type::strided,
                              property_type::constant};
    const logical_tensor dst{4, data_type::f32, 2, layout_type::any};
    dnnl::graph::graph g{engine::kind::cpu, fpmath_mode::strict};
    std::vector<partition> partitions;
};

TEST_F(porting, a_graph_becomes_partitions) {
    EXPECT_TRUE(g.is_finalized());
    ASSERT_EQ(partitions.size(), 2U);
    EXPECT_FALSE(partitions[0].is_supported());
    EXPECT_THROW(partitions[0].compile({raw}, {src}, eng), dnnl::error);
    const partition &part = partitions[1];
    ASSERT_TRUE(part.is_supported());
    EXPECT_EQ(part.get_ops(), (std::vector<size_t>{1}));
    EXPECT_EQ(part.get_engine_kind(), engine::kind::cpu);
    EXPECT_NE(part.get_id(), partitions[0].get_id());
    EXPECT_EQ(part.get_input_ports().size(), 3U);
    EXPECT_TRUE(part.get_output_ports()[0].is_equal(dst));
}

TEST_F(porting, a_partition_is_compiled_and_executed) {
    const partition &part = partitions.at(1);
    const compiled_partition cp = part.compile(part.get_input_ports(), part.get_output_ports(), eng);
    const logical_tensor out = cp.query_logical_tensor(dst.get_id());
    EXPECT_EQ(out.get_dims(), (logical_tensor::dims{2, 4}));
    EXPECT_EQ(out.get_strides(), (logical_tensor::dims{4, 1}));
    EXPECT_EQ(out.get_mem_size(), 32U);
    EXPECT_EQ(out.get_layout_type(), layout_type::strided);
    EXPECT_EQ(cp.get_inplace_ports(), (std::vector<std::pair<size_t, size_t>>{{1, 4}}));

    std::vector<float> src_data{1, 2, 3, 4, 8, 6, 4, 2}, gamma_data{1, 1, 2, 1}, beta_data{0, 0, 0, 10}, dst_data(8);
    const tensor src_t(src, eng, src_data.data()), gamma_t(gamma, eng, gamma_data.data());
    tensor beta_t(beta, eng), dst_t(out, eng, nullptr);
    beta_t.set_data_handle(beta_data.data());
    dst_t.set_data_handle(dst_data.data());
    EXPECT_EQ(dst_t.get_data_handle(), dst_data.data());
    EXPECT_EQ(dst_t.get_engine().get_kind(), engine::kind::cpu);
    EXPECT_TRUE(dst_t.get_logical_tensor().is_equal(out));
    stream strm(eng);
    cp.execute(strm, {src_t, gamma_t, beta_t}, {dst_t});
    strm.wait();

    const float d = 1 / std::sqrt(1.25F);
    const std::vector<float> expected{-1.5F * d, -0.5F * d, 2 * 0.5F * d,  10 + 1.5F * d,
                                      1.5F * d,  0.5F * d,  -0.5F * 2 * d, 10 - 1.5F * d};
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(dst_data[i], expected[i], 1e-5F) << i;
}

TEST(porting_errors, are_exceptions) {
    const logical_tensor x{0, data_type::f32, {2, 4}, layout_type::strided};
    op wrong(0, op::kind::LayerNorm, {x}, {x, x});
    dnnl::graph::graph g(engine::kind::cpu);
    try {
        g.add_op(wrong);
        FAIL();
    } catch (const dnnl::error &e) {
        EXPECT_EQ(static_cast<status>(e.status), status::invalid_graph_op);
    }
    EXPECT_THROW(g.get_partitions(), dnnl::error);
    EXPECT_THROW(partition(wrong, engine::kind::cpu), dnnl::error);
    EXPECT_THROW(tensor(logical_tensor(1, data_type::f32), engine(engine::kind::cpu, 0)), dnnl::error);
    EXPECT_THROW(logical_tensor(1, data_type::f32).get_dims(), dnnl::error);
    EXPECT_THROW(logical_tensor(1, data_type::f32, 1, layout_type::any).get_strides(), dnnl::error);
    fpmath_mode mode = fpmath_mode::any;
    bool apply_to_int = true;
    g.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::strict);
    EXPECT_FALSE(apply_to_int);
    g.set_fpmath_mode(fpmath_mode::bf16, true);
    g.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::bf16);
    EXPECT_TRUE(apply_to_int);
    g.finalize();
    EXPECT_TRUE(g.get_partitions().empty());
}

} // namespace
