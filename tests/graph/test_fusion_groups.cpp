// SPDX-License-Identifier: Apache-2.0
// Which operations after a normalization, and which additions before it, become one partition with it, and which do
// not: each rule of jitnorm_graph.h. Each function, combination, cast and conversion that does is executed as one in
// test_fusion_results.cpp, and additions of broadcast operands in test_fusion_additions.cpp.
#include <cmath>

#include "fused_graph.hpp"

namespace jitnorm::tests {
namespace {

using enum op::kind;
using graph::partition;

TEST(fusion_groups, functions_that_are_not_as_described) {
    for (const op::kind kind : {Clamp, Elu, HardSigmoid, LeakyReLU, SoftMax, Reciprocal, End, Wildcard})
        expect_separate(chain({{kind}})); // an attribute is missing, or they are others
    expect_separate(chain({with_attr(Clamp, op::attr::min, 1.F)}));
    expect_separate(chain({with_attr(LeakyReLU, op::attr::alpha, NAN)}));
    expect_separate(chain({with_attr(ReLU, op::attr::alpha, 1.F)}));
    expect_separate(chain({{ReLU, jitnorm_bf16}}));
    expect_separate(chain({{ReLU, jitnorm_f32, {dense(20, DIMS)}}}));
    expect_separate(chain({with_attr(GELU, op::attr::mode, std::string("gelu"))}));
    expect_separate(chain({with_attr(GELU, op::attr::axis, int64_t(1))}));
}

TEST(fusion_groups, combinations_that_are_not_as_described) {
    for (const op::kind kind : {Divide, Subtract})
        expect_separate(chain({{kind, jitnorm_f32, {dense(20, DIMS)}, true}}));
    for (const shape &dims : {shape{2}, {3, 1, 4}, {2, 2, 3, 4}, {1, 1, 1, 4}, {5}, {0}})
        expect_separate(chain({{Add, jitnorm_f32, {dense(20, dims)}}}));
    expect_separate(chain({{Add, jitnorm_f32, {unknown(20)}}}));
    expect_separate(chain({{Add}}));
    fused_graph unknown_src = chain({{Add, jitnorm_f32, {dense(20, {4})}}});
    for (const logical_tensor &src : {unknown(10), dense(10, {2, JITNORM_GRAPH_UNKNOWN_DIM, 4})}) {
        unknown_src.inputs = {src};
        expect_separate(unknown_src);
    }
    expect_separate(chain({with_attr(Add, op::attr::axis, int64_t(1), {dense(20, {4})})}));
}

TEST(fusion_groups, auto_broadcast) {
    const auto add = [](const std::string &mode, const shape &dims) {
        return chain({with_attr(Add, op::attr::auto_broadcast, mode, {dense(20, dims)})});
    };
    expect_fused(add("numpy", {4}));
    expect_fused(add("none", DIMS));
    expect_separate(add("none", {4}));
    expect_separate(add("some", DIMS));
}

// A tensor with itself, or with what the chain has written before, is read twice.
TEST(fusion_groups, the_chain_with_itself) {
    expect_separate(chain({{Add, jitnorm_f32, {unknown(FIRST_RESULT)}}}));
    const groups expected = {{1}, {2}, {3}};
    EXPECT_EQ(groups_of(chain({{ReLU}, {Add, jitnorm_f32, {unknown(FIRST_RESULT)}}})), expected);
}

TEST(fusion_groups, types) {
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16}) {
        const auto of = [&](std::vector<link> links) {
            fused_graph g = chain(std::move(links));
            g.inputs = {dense(10, DIMS, narrow)};
            return g;
        };
        const link to_f32 = {TypeCast, jitnorm_f32}, to_narrow = {TypeCast, narrow};
        expect_fused(of({{ReLU, narrow}}));
        expect_separate(of({{Add, narrow, {dense(20, {4})}}})); // narrow and f32 give f32
        expect_separate(of({{ReLU, jitnorm_f32}}));
        expect_separate(of({quantize(0.5F)})); // only of f32
        expect_fused(of({to_f32, {Multiply, jitnorm_f32, {dense(20, {4}, narrow)}}, {ReLU}, quantize(0.5F)}));
        expect_fused(chain({to_narrow, {GELU, narrow}}));
        const jitnorm_data_type_t other = narrow == jitnorm_bf16 ? jitnorm_f16 : jitnorm_bf16;
        expect_separate(of({{TypeCast, other}}));
        expect_separate(of({{Add, narrow, {dense(20, {4}, other)}}}));
        EXPECT_EQ(groups_of(of({to_f32, to_narrow})), (groups{{1, 2}, {3}}));      // one cast
        EXPECT_EQ(groups_of(of({{ReLU, narrow}, to_f32})), (groups{{1, 2}, {3}})); // before all else
    }
    expect_separate(chain({{TypeCast, jitnorm_f32}}));
    expect_separate(chain({{Add, jitnorm_s32, {dense(20, {4}, jitnorm_s32)}}}));
}

TEST(fusion_groups, quantize) {
    for (const int64_t most : {1 << 24, -(1 << 24)}) expect_fused(chain({quantize(0.1F, jitnorm_s8, {most})}));
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        expect_separate(chain({quantize(0.1F, type, {0})})); // a type without zero points
    expect_separate(chain({{Quantize, jitnorm_s8}}));        // no scales
    for (const auto type : {jitnorm_f32, jitnorm_s32, jitnorm_bf16}) expect_separate(chain({quantize(0.1F, type)}));
    for (const float scale : {0.F, NAN, INFINITY, 1e-45F, 1e-38F, 3e38F}) // the last one's inverse is a denormal
        expect_separate(chain({quantize(scale)}));
    for (const std::vector<int64_t> &points : {std::vector<int64_t>{1, 2}, {(1 << 24) + 1}, {-(1 << 24) - 1}})
        expect_separate(chain({quantize(0.1F, jitnorm_s8, points)}));
    const auto with = [](op::attr name, auto value) {
        link q = quantize(0.1F);
        q.configure = [=, scale = q.configure](op &o) {
            scale(o);
            o.set_attr<decltype(value)>(name, value);
        };
        return chain({q});
    };
    expect_fused(with(op::attr::qtype, std::string("per_tensor")));
    expect_separate(with(op::attr::qtype, std::string("per_channel")));
    expect_fused(with(op::attr::axis, int64_t(0))); // of no meaning per tensor
    expect_separate(with(op::attr::scales, std::vector<float>{0.1F, 0.1F}));
    expect_separate(with(op::attr::alpha, 1.F));
    EXPECT_EQ(groups_of(chain({quantize(0.1F), {ReLU, jitnorm_s8}})), (groups{{1, 2}, {3}})); // the last one
}

TEST(fusion_groups, at_most_nineteen_functions) {
    for (const link &one : {link{ReLU}, link{Maximum, jitnorm_f32, {dense(20, {4})}}}) {
        std::vector<link> links(20, one);
        links.push_back(quantize(0.5F));
        const groups found = groups_of(chain(links));
        ASSERT_EQ(found.size(), 3u);
        EXPECT_EQ(found[0].size(), 20u);
    }
}

TEST(fusion_groups, what_somebody_else_reads_stays_a_tensor) {
    const fused_graph g = chain({{ReLU}, {Square}, {Tanh}});
    for (size_t read = 0; read < 3; ++read) {
        std::vector<op> ops = g.ops();
        ops.push_back(op(9, End, {unknown(FIRST_RESULT + read)}, {}, "outside"));
        const auto partitions = partitions_of(ops);
        ASSERT_FALSE(partitions.empty());
        EXPECT_EQ(partitions[0].get_ops_num(), read + 1); // the read result is the last one that is kept
        EXPECT_TRUE(partitions[0].is_supported());
    }
}

TEST(fusion_groups, which_norms_can_be_followed) {
    const auto bf16 = jitnorm_bf16;
    const struct {
        std::vector<logical_tensor> inputs;
        bool is_fused;
        int64_t axis = -1;
        op::kind norm = LayerNorm;
    } cases[] = {
        {{dense(10, DIMS), dense(11, {4}), dense(12, {4})}, true, 2},
        {{dense(10, DIMS), dense(11, {3, 4})}, false, -2},
        {{dense(10, DIMS), dense(11, {3, 4})}, false, 1},
        {{dense(10, DIMS), dense(11, DIMS)}, false, 0},
        {{dense(10, DIMS, bf16), dense(11, {4}, bf16)}, false},
        {{dense(10, DIMS, bf16), dense(11, {4})}, true},
        {{dense(10, {4})}, false},
        {{dense(10, {1, 1, 1, 1, 1, 4})}, false},
        {{dense(10, DIMS), dense(11, DIMS), dense(12, {2, 3}), dense(13, {2, 3})}, false, -1, LayerNormBackward},
        {{unknown(10)}, true}};
    for (const auto &[inputs, is_fused, axis, norm] : cases) {
        SCOPED_TRACE(testing::PrintToString(ids_of(inputs)) + " axis " + std::to_string(axis));
        fused_graph g = chain({{ReLU, jitnorm_data_type_t(inputs[0].get_data_type())}});
        g.norm = norm;
        g.inputs = inputs;
        g.configure = [axis = axis](op &o) { o.set_attr<int64_t>(op::attr::begin_norm_axis, axis); };
        is_fused ? expect_fused(g) : expect_separate(g);
    }
}

// Others may read them, but not to write what a later operation reads.
TEST(fusion_groups, statistics) {
    fused_graph g = chain({{Add, jitnorm_f32, {dense(20, {2, 3, 1})}}});
    g.statistics = {dense(30, {2, 3}), dense(31, {2, 3})};
    expect_fused(g);
    const auto partitions = partitions_of(g.ops());
    EXPECT_EQ(partitions[0].get_output_ports().size(), 3u);
    for (const size_t id : {30, 31}) {
        std::vector<op> ops = g.ops();
        ops.push_back(op(9, StaticReshape, {dense(id, {2, 3})}, {dense(20, {2, 3, 1})}, "between"));
        EXPECT_EQ(groups_of(ops), (groups{{1}, {9}, {2}}));
        EXPECT_NO_THROW(partitions_of(ops)[0].compile(
            {dense(10, DIMS)}, {dense(50, DIMS), dense(30, {2, 3}), dense(31, {2, 3})}, engine(engine::kind::cpu, 0)))
            << "which is the norm alone";
        ops.back() = op(9, StaticReshape, {dense(id, {2, 3})}, {dense(21, {6})}, "aside");
        EXPECT_EQ(groups_of(ops), (groups{{1, 2}, {9}}));
    }
    g.statistics = {dense(30, {2, 3, 1}), dense(31, {2, 3, 1})};
    for (const size_t id : {30, 31}) { // no later operation reads what the group writes
        g.links = {{Add, jitnorm_f32, {dense(id, {2, 3, 1})}}};
        EXPECT_EQ(groups_of(g), (groups{{1}, {2}}));
    }
}

TEST(fusion_groups, an_operation_after_two_belongs_to_the_first) {
    const std::vector<op> ops = {op(1, RMSNorm, {dense(10, DIMS)}, {dense(50, DIMS)}, "first"),
                                 op(2, RMSNorm, {dense(20, DIMS)}, {dense(51, DIMS)}, "second"),
                                 op(3, Maximum, {dense(50, DIMS), dense(51, DIMS)}, {dense(52, DIMS)}, "maximum")};
    EXPECT_EQ(groups_of(ops), (groups{{2}, {1, 3}}));
}

TEST(fusion_groups, shapes_that_contradict_each_other) {
    std::vector<op> ops = {op(1, LayerNorm, {dense(10, DIMS)}, {unknown(50)}, "norm"),
                           op(2, ReLU, {unknown(50)}, {dense(51, {2, 3, 5})}, "relu")};
    ops[0].set_attr<bool>(op::attr::keep_stats, false);
    EXPECT_EQ(groups_of(ops), (groups{{1}, {2}}));
}

TEST(fusion_groups, debugging_keeps_operations_separate) {
    EXPECT_EQ(groups_of(chain({{ReLU}, {Abs}}).ops(), partition::policy::debug), (groups{{1}, {2}, {3}}));
}

// A partition stands where everything that it reads has been written; ports are what comes in and goes out, once.
TEST(fusion_groups, order_and_ports) {
    fused_graph g = chain({{ReLU}, {Multiply, jitnorm_f32, {dense(20, {4})}}, {Add, jitnorm_f32, {dense(10, DIMS)}}});
    std::vector<op> ops = g.ops();
    ops.insert(ops.begin(), op(8, Reciprocal, {unknown(g.result())}, {unknown(60)}, "after"));
    ops.push_back(op(9, StaticReshape, {dense(21, {2, 2})}, {dense(20, {4})}, "before"));
    EXPECT_EQ(groups_of(ops), (groups{{9}, {1, 2, 3, 4}, {8}}));
    const std::vector<partition> partitions = partitions_of(ops);
    EXPECT_NE(partitions[0].get_id(), partitions[1].get_id());
    const partition &fused = partitions[1];
    EXPECT_EQ(ids_of(fused.get_input_ports()), (std::vector<size_t>{10, 20}));
    EXPECT_EQ(ids_of(fused.get_output_ports()), std::vector<size_t>{g.result()});
}

// Tensors 1 and 2 give 10, which is normalized; operation 7 comes first.
op addition(const shape &one = DIMS, const shape &other = DIMS, jitnorm_data_type_t type = jitnorm_f32,
            jitnorm_data_type_t other_type = jitnorm_f32, jitnorm_data_type_t sum_type = jitnorm_f32) {
    return op(7, Add, {dense(1, one, type), dense(2, other, other_type)}, {unknown(10, sum_type)}, "add");
}

std::vector<op> added(op before, std::vector<link> links = {}, op::kind norm = LayerNorm,
                      jitnorm_data_type_t type = jitnorm_f32, std::vector<logical_tensor> affine = {}) {
    fused_graph g = chain(std::move(links));
    g.norm = norm;
    g.inputs = {unknown(10, type)};
    g.inputs.insert(g.inputs.end(), affine.begin(), affine.end());
    std::vector<op> ops = g.ops();
    ops.insert(ops.begin(), std::move(before));
    return ops;
}

TEST(fusion_groups_of_sums, an_addition_before) {
    const groups apart = {{7}, {1}};
    for (const op::kind norm : {LayerNorm, RMSNorm}) {
        EXPECT_EQ(groups_of(added(addition(), {{ReLU}, quantize(0.5F)}, norm)), (groups{{7, 1, 2, 3}}));
        EXPECT_EQ(groups_of(added(addition({2, 1, 4}, {1, 3, 4}), {}, norm)), apart); // neither is whole
        EXPECT_EQ(groups_of(added(addition({4}, {4}), {}, norm)), apart);             // of one dimension
    }
    op none = addition(DIMS, {4});
    none.set_attr<std::string>(op::attr::auto_broadcast, "none");
    const op others[] = {none, op(7, Add, {dense(1, DIMS), unknown(2)}, {unknown(10)}, "unshaped"),
                         addition({2, JITNORM_GRAPH_UNKNOWN_DIM, 4}, {4}),
                         op(7, Add, {dense(1, DIMS), dense(1, DIMS)}, {unknown(10)}, "twice"),
                         op(7, Multiply, {dense(1, DIMS), dense(2, DIMS)}, {unknown(10)}, "multiply")};
    for (const op &other : others) EXPECT_EQ(groups_of(added(other)), apart) << &other - others;
    const std::vector<op> contradicting = {op(7, Add, {dense(1, DIMS), dense(2, DIMS)}, {dense(10, {2, 3, 5})}, "add"),
                                           op(1, RMSNorm, {dense(10, {2, 3, 5})}, {unknown(50)}, "norm")};
    EXPECT_EQ(groups_of(contradicting), apart);
}

// gamma may be of any type that the normalization takes: only what follows wants f32.
TEST(fusion_groups_of_sums, types_of_an_addition_before) {
    const auto bf16 = jitnorm_bf16, f32 = jitnorm_f32, f16 = jitnorm_f16;
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, bf16, bf16), {}, RMSNorm, bf16)), (groups{{7, 1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, f32, f32))), (groups{{7, 1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, bf16, f16, f32))), (groups{{7}, {1}}));
    EXPECT_EQ(groups_of(added(addition(DIMS, DIMS, f32, f32, bf16), {}, RMSNorm, bf16)), (groups{{7}, {1}}));
    const auto narrow = [&] { return addition(DIMS, DIMS, bf16, bf16, bf16); };
    EXPECT_EQ(groups_of(added(narrow(), {{ReLU, bf16}}, RMSNorm, bf16, {dense(11, {4}, bf16)})), (groups{{7, 1}, {2}}));
    EXPECT_EQ(groups_of(added(narrow(), {{ReLU, bf16}}, RMSNorm, bf16, {dense(11, {4})})), (groups{{7, 1, 2}}));
}

TEST(fusion_groups_of_sums, a_sum_that_others_read_is_an_output) {
    std::vector<op> ops = added(addition(), {{ReLU}});
    ops.push_back(op(9, End, {unknown(10)}, {}, "outside"));
    const auto partitions = partitions_of(ops);
    ASSERT_EQ(partitions.size(), 2u);
    EXPECT_EQ(partitions[0].get_ops(), (std::vector<size_t>{7, 1, 2}));
    EXPECT_EQ(ids_of(partitions[0].get_output_ports()), (std::vector<size_t>{10, FIRST_RESULT + 1}));
}

// The sum comes back as a later operand, directly or through another operation.
TEST(fusion_groups_of_sums, a_sum_that_is_read_again_later) {
    EXPECT_EQ(groups_of(added(addition(), {{Add, jitnorm_f32, {unknown(10)}}})), (groups{{7, 1}, {2}}));
    std::vector<op> ops = added(addition(), {{Add, jitnorm_f32, {dense(20, DIMS)}}});
    ops.push_back(op(9, StaticReshape, {unknown(10)}, {dense(20, DIMS)}, "between"));
    EXPECT_EQ(groups_of(ops), (groups{{7, 1}, {9}, {2}}));
    fused_graph g;
    g.inputs = {unknown(10), unknown(10)}; // gamma, too
    ops = g.ops();
    ops.push_back(addition());
    EXPECT_EQ(groups_of(ops), (groups{{7}, {1}}));
}

// What reads the sum to write gamma must come between.
TEST(fusion_groups_of_sums, a_gamma_made_of_the_sum) {
    std::vector<op> ops = added(addition(), {}, RMSNorm, jitnorm_f32, {dense(11, {4})});
    ops.push_back(op(9, StaticReshape, {unknown(10)}, {dense(11, {4})}, "between"));
    EXPECT_EQ(groups_of(ops), (groups{{7}, {9}, {1}}));
}

// An addition after one normalization and before another belongs to the first, as with oneDNN.
TEST(fusion_groups_of_sums, an_addition_between_two) {
    const std::vector<op> ops = {op(1, RMSNorm, {dense(10, DIMS)}, {dense(50, DIMS)}, "first"),
                                 op(2, Add, {dense(50, DIMS), dense(20, DIMS)}, {dense(51, DIMS)}, "add"),
                                 op(8, RMSNorm, {dense(51, DIMS)}, {dense(60, DIMS)}, "second")};
    EXPECT_EQ(groups_of(ops), (groups{{1, 2}, {8}}));
    EXPECT_EQ(groups_of({ops[1], ops[2]}), (groups{{2, 8}})); // which it could join
}

} // namespace
} // namespace jitnorm::tests
