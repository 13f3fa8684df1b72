// SPDX-License-Identifier: Apache-2.0
// A Multiply, an Add or both after a normalization are its scale and shift; a Multiply by z * Sigmoid(z) gates it.
#include "fused_run.hpp"

namespace jitnorm::tests {
namespace {

struct modulation {
    shape dims, scale_dims, shift_dims; // no dimensions: there is none
    std::string layout = "dense";
    jitnorm_data_type_t type = jitnorm_f32, scale_type = jitnorm_f32, shift_type = jitnorm_f32;
    bool has_affine = false, adds_first = false;
};

// The normalization without followers, in f32, and the products and sums of its values in plain loops.
void expect_modulated(const modulation &m, bool rounds_once = true) {
    for (const op::kind norm : {LayerNorm, RMSNorm})
        for (const bool operand_is_first : {false, true}) {
            fused_case c{norm,     m.dims,   m.type,       {},           m.type,       m.scale_dims,
                         m.layout, m.layout, m.scale_type, m.shift_dims, m.shift_type, m.has_affine};
            const auto follow = [&](op::kind kind, size_t id, const shape &dims, jitnorm_data_type_t other_type) {
                if (dims.empty()) return;
                if (other_type != c.dst_type) c.dst_type = jitnorm_f32;
                c.links.push_back({kind, c.dst_type, {unknown(id)}, operand_is_first});
            };
            if (!m.adds_first) follow(Multiply, OTHER_ID, m.scale_dims, m.scale_type);
            follow(Add, SECOND_ID, m.shift_dims, m.shift_type);
            if (m.adds_first) follow(Multiply, OTHER_ID, m.scale_dims, m.scale_type);
            expect_bits_of(c, [&](float y, float scale, float shift) {
                if (m.scale_dims.empty()) scale = 1;
                if (m.shift_dims.empty()) shift = 0;
                const float product = y * scale;
                return m.adds_first ? (y + shift) * scale : rounds_once ? std::fma(y, scale, shift) : product + shift;
            });
        }
}

TEST(fusion_modulation, one_rounding_where_a_product_and_a_sum_follow) {
    const shape dims = {2, 3, 5, 33};
    for (const shape &one : {shape{2, 1, 1, 33}, {2, 3, 1, 33}, {2, 3, 5, 33}, {1, 3, 1, 33}, {5, 33}, {33}})
        for (const shape &other : {one, shape{2, 1, 1, 33}, {33}, {}})
            for (const std::string layout : {"dense", "gap", "reversed"}) {
                expect_modulated({dims, one, other, layout});
                expect_modulated({dims, other, one, layout});
            }
}

TEST(fusion_modulation, narrow_and_mixed_types) {
    const shape dims = {3, 4, 129}, rows = {3, 1, 129};
    for (const auto narrow : {jitnorm_bf16, jitnorm_f16})
        for (const auto scale : {narrow, jitnorm_f32})
            for (const auto shift : {narrow, jitnorm_f32})
                for (const shape &other : {rows, shape{129}, {}})
                    expect_modulated({dims, rows, other, "dense", narrow, scale, shift});
}

TEST(fusion_modulation, two_roundings_elsewhere) {
    modulation own_gamma{{2, 5, 33}, {2, 1, 33}, {2, 1, 33}};
    own_gamma.has_affine = true;
    expect_modulated(own_gamma, false);
    expect_modulated({{2, 5, 33}, {2, 5, 1}, {2, 1, 33}}, false);
    modulation sum_first{{2, 5, 33}, {2, 1, 33}, {2, 1, 33}};
    sum_first.adds_first = true;
    expect_modulated(sum_first, false);
}

// ---------------------------------------------------------------- a gate, whose results fuzz_graph checks

constexpr size_t Z = 60, SIGMOID = 61, SILU = 62, GATED = 63;

// z * Sigmoid(z) and its product with what the norm, operation 1, writes. The norm is the operation at the place `at`.
std::vector<op> gated(size_t at, bool product_is_first = false, size_t factor = Z,
                      jitnorm_data_type_t sigmoid_type = jitnorm_f32, jitnorm_data_type_t silu_type = jitnorm_f32) {
    const logical_tensor src = dense(SRC_ID, DIMS), z = dense(Z, DIMS), y = dense(FIRST_RESULT, DIMS);
    const logical_tensor sigmoid = dense(SIGMOID, DIMS, sigmoid_type), silu = dense(SILU, DIMS, silu_type);
    const std::vector<logical_tensor> last = {product_is_first ? silu : y, product_is_first ? y : silu};
    std::vector<op> ops = {op(2, Sigmoid, {z}, {sigmoid}, "sigmoid"),
                           op(3, Multiply, {dense(factor, DIMS), sigmoid}, {silu}, "silu")};
    ops.insert(ops.begin() + ptrdiff_t(at), op(1, RMSNorm, {src}, {y}, "norm"));
    ops.push_back(op(4, Multiply, last, {dense(GATED, DIMS)}, "gate"));
    return ops;
}

TEST(fusion_modulation, a_gate_is_in_the_partition_wherever_it_was_added) {
    for (size_t at = 0; at < 3; ++at)
        for (const bool product_is_first : {false, true}) {
            const auto partitions = partitions_of(gated(at, product_is_first));
            ASSERT_EQ(partitions.size(), 1u);
            EXPECT_TRUE(partitions[0].is_supported());
            EXPECT_EQ(partitions[0].get_input_ports().size(), 2u);
        }
}

TEST(fusion_modulation, a_gate_that_others_read_stays_outside) {
    const groups apart = {{2}, {3}, {1, 4}};
    EXPECT_EQ(groups_of(gated(0, false, SRC_ID)), apart); // the product of two tensors
    EXPECT_EQ(groups_of(gated(0, false, Z, jitnorm_bf16)), apart);
    EXPECT_EQ(groups_of(gated(0, false, Z, jitnorm_f32, jitnorm_bf16)), apart);
    std::vector<op> sum = gated(0);
    sum.back() = op(4, Add, {dense(FIRST_RESULT, DIMS), dense(SILU, DIMS)}, {dense(GATED, DIMS)}, "sum");
    EXPECT_EQ(groups_of(sum), apart); // the gate is an ordinary operand
    for (const size_t shared : {SIGMOID, SILU}) {
        std::vector<op> ops = gated(0);
        ops.push_back(op(5, End, {dense(shared, DIMS)}, {}, "end"));
        EXPECT_EQ(groups_of(ops).size(), 4u) << shared;
    }
}

} // namespace
} // namespace jitnorm::tests
