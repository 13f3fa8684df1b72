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
