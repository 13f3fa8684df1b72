// SPDX-License-Identifier: Apache-2.0
// oneDNN's examples of graphs begin with an allocator, an engine made with it, and both namespaces open. Each name of
// dnnl_graph.hpp has one meaning then, except status and graph, which oneDNN declares twice, too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "dnnl_graph.h"
#include "dnnl_graph.hpp"
#include "dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_graph_types.h"

using namespace dnnl;
using namespace dnnl::graph;
using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dims = logical_tensor::dims;

namespace {

int calls = 0;

void *allocate(size_t size, size_t alignment) {
    ++calls;
    return std::aligned_alloc(alignment, size);
}
void release(void *memory) { std::free(memory); }

allocator create_allocator(engine::kind kind) {
#if DNNL_GPU_RUNTIME == DNNL_RUNTIME_SYCL || DNNL_GPU_RUNTIME == DNNL_RUNTIME_OCL || DNNL_GPU_RUNTIME == DNNL_RUNTIME_ZE
#error "there is no runtime for graphics processors"
#endif
    return kind == engine::kind::cpu ? allocator() : allocator(allocate, release);
}

// dst = LayerNorm(src) * factor, where factor is a value of the host.
class onednn_examples : public testing::Test {
protected:
    onednn_examples() {
        op norm(0, op::kind::LayerNorm, {src}, {normalized}, "norm");
        norm.set_attr<bool>(op::attr::keep_stats, false);
        op multiply(1, op::kind::Multiply, {normalized, factor}, {dst}, "multiply");
        dnnl::graph::graph g(engine::kind::cpu, fpmath_mode::strict);
        g.add_op(norm);
        g.add_op(multiply);
        g.finalize();
        const std::vector<partition> partitions = g.get_partitions();
        EXPECT_EQ(partitions.size(), 1U);
        compiled = partitions.at(0).compile({src, factor}, {dst}, eng);
    }

    engine eng = make_engine_with_allocator(engine::kind::cpu, 0, create_allocator(engine::kind::cpu));
    stream strm{eng};
    // Columns, which kernels copy to a scratchpad.
    const logical_tensor src{0, data_type::f32, {4, 2}, dims{1, 4}};
    const logical_tensor normalized{1, data_type::f32, {4, 2}, layout_type::strided};
    const logical_tensor factor{2, data_type::f32, 0, layout_type::strided, property_type::host_scalar};
    const logical_tensor dst{3, data_type::f32, {4, 2}, layout_type::strided};
    compiled_partition compiled;
};

TEST_F(onednn_examples, a_scalar_of_the_host_is_copied) {
    float value = 3;
    const tensor scalar = tensor::make_scalar_tensor(factor, &value);
    value = 0;
    EXPECT_EQ(*static_cast<float *>(scalar.get_data_handle()), 3.F);
    EXPECT_EQ(scalar.get_engine().get_kind(), engine::kind::cpu);
    std::vector<float> in{1, 2, 3, 4, 3, 0, 3, 5}, out(8);
    compiled.execute(strm, {tensor(src, eng, in.data()), scalar}, {tensor(dst, eng, out.data())});
    strm.wait();
    for (size_t row = 0; row < 4; ++row) {
        const float sign = in[row] < in[row + 4] ? -3.F : in[row] > in[row + 4] ? 3.F : 0.F;
        EXPECT_NEAR(out[2 * row], sign, 1e-4F);
        EXPECT_NEAR(out[2 * row + 1], -sign, 1e-4F);
    }
    const logical_tensor vector(2, data_type::f32, dims{1}, layout_type::strided, property_type::host_scalar);
    const logical_tensor variable(2, data_type::f32, 0, layout_type::strided);
    const logical_tensor typeless(2, data_type::undef, 0, layout_type::strided, property_type::host_scalar);
    for (const logical_tensor &wrong : {vector, variable, typeless})
        EXPECT_THROW(tensor::make_scalar_tensor(wrong, &value), error);
    EXPECT_THROW(tensor::make_scalar_tensor(factor, nullptr), error);
}

TEST_F(onednn_examples, a_scratchpad_may_be_the_callers) {
    const float value = 1;
    const tensor scalar = tensor::make_scalar_tensor(factor, &value);
    std::vector<float> in{1, 2, 3, 4, 3, 0, 3, 5}, expected(8), out(8);
    compiled.execute(strm, {tensor(src, eng, in.data()), scalar}, {tensor(dst, eng, expected.data())});

    const logical_tensor lt = compiled.get_scratchpad_logical_tensor();
    const size_t size = lt.get_mem_size();
    ASSERT_GT(size, 0U);
    EXPECT_THROW(lt.get_layout_id(), error);
    std::vector<unsigned char> bytes(size + 2, 0xA5);
    const auto run = [&](const tensor &scratchpad) {
        compiled.execute(strm, {tensor(src, eng, in.data()), scalar}, {tensor(dst, eng, out.data())}, scratchpad);
    };
    run(tensor(lt, eng, bytes.data() + 1)); // of any alignment
    EXPECT_EQ(out, expected);
    EXPECT_EQ(bytes.front(), 0xA5);
    EXPECT_EQ(bytes.back(), 0xA5);
    EXPECT_NE(bytes, std::vector<unsigned char>(size + 2, 0xA5)); // it is used

    const logical_tensor short_one(9, data_type::u8, dims{logical_tensor::dim(size) - 1}, layout_type::strided);
    EXPECT_THROW(run(tensor(short_one, eng, bytes.data())), error);
    EXPECT_THROW(run(tensor(logical_tensor(9, data_type::u8), eng, bytes.data())), error);
    EXPECT_THROW(run(tensor(lt, eng, out.data())), error); // the place of an output
    out.assign(8, 0);
    run(tensor(lt, eng, nullptr)); // the library's own
    EXPECT_EQ(out, expected);
}

TEST(onednn_errors, are_exceptions) {
    const logical_tensor x{0, data_type::f32, {2, 4}, layout_type::strided};
    op wrong(0, op::kind::LayerNorm, {x}, {x, x});
    dnnl::graph::graph g(engine::kind::cpu);
    try {
        g.add_op(wrong);
        FAIL();
    } catch (const dnnl::error &e) {
        EXPECT_EQ(e.status, dnnl_invalid_graph_op);
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

TEST(onednn_settings, are_accepted_without_effect) {
    EXPECT_TRUE(make_engine_with_allocator(engine::kind::cpu, 0, create_allocator(engine::kind::gpu)));
    EXPECT_EQ(calls, 0);
    EXPECT_THROW(make_engine_with_allocator(engine::kind::gpu, 0, allocator()), error);
    set_constant_tensor_cache(1);
    EXPECT_EQ(get_constant_tensor_cache(), 0);
    EXPECT_THROW(set_constant_tensor_cache(-1), error);
    set_constant_tensor_cache_capacity(engine::kind::cpu, 100);
    EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 0U);
    EXPECT_THROW(set_constant_tensor_cache_capacity(engine::kind::gpu, 100), error);
    EXPECT_THROW(get_constant_tensor_cache_capacity(engine::kind::gpu), error);
    EXPECT_EQ(set_dump_mode(graph_dump_mode::none), dnnl::graph::status::success);
    EXPECT_EQ(set_dump_mode(graph_dump_mode::graph | graph_dump_mode::subgraph),
              dnnl::graph::status::invalid_arguments);
    dnnl_engine_t made;
    EXPECT_EQ(dnnl_graph_make_engine_with_allocator(&made, dnnl_cpu, 0, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_graph_allocator_create(nullptr, allocate, release), dnnl_invalid_arguments);
}

TEST(onednn_settings, compiled_partitions_have_the_capacity_of_primitives) {
    const int before = get_compiled_partition_cache_capacity();
    set_compiled_partition_cache_capacity(7);
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 7);
    EXPECT_EQ(get_primitive_cache_capacity(), 7);
    EXPECT_THROW(set_compiled_partition_cache_capacity(-1), error);
    set_compiled_partition_cache_capacity(before);
}

} // namespace
