// SPDX-License-Identifier: Apache-2.0
// Tensors that are not dense, in every position: the bits are those of dense tensors.
#include "operands.hpp"

namespace jitnorm::tests {
namespace {

const call_shape SHAPES[] = {{{6, 40}, 1}, {{9, 7}, 1}, {{2, 3, 2, 1, 2, 3, 2, 2}, 3}, {{3, 4, 5, 6}, 2}, {{11}, 1}};

// Calls body(operation, type, shape) with the bits of dense tensors.
template <typename Body>
void for_each_call(Body &&body) {
    for (const operation &op : OPERATIONS)
        for (const aclDataType type : {ACL_FLOAT, ACL_BF16})
            for (const call_shape &shape : SHAPES) {
                if (!takes(op, shape)) continue;
                SCOPED_TRACE(std::string(op.name) + " " + testing::PrintToString(shape.dims));
                operands dense(op, type, shape);
                dense.run();
                body(dense, type, shape);
            }
}

// Each tensor at a time, and all at once.
TEST(aclnn_layouts, of_every_tensor_have_the_bits_of_dense_ones) {
    for_each_call([](const operands &dense, aclDataType type, const call_shape &shape) {
        const size_t count = dense.given.size();
        for (const std::string &how : {REVERSED, SPREAD})
            for (size_t position = 0; position <= count; ++position) {
                std::vector<std::string> layouts(count, DENSE);
                for (size_t i = 0; i < count; ++i)
                    if ((i == position || position == count) && !dense.op.contiguous.contains(dense.parameters[i].name))
                        layouts[i] = how;
                operands call(dense.op, type, shape, layouts);
                call.run();
                EXPECT_EQ(call.bits(), dense.bits()) << "position " << position;
            }
    });
}

// Where both tensors lie alike, however that is.
TEST(aclnn_layouts, in_place_have_the_bits_of_separate_tensors) {
    for_each_call([](const operands &dense, aclDataType type, const call_shape &shape) {
        for (const auto &[input, output] : dense.op.in_place)
            for (const std::string &how : {DENSE, REVERSED, SPREAD}) {
                if (dense.op.contiguous.contains(dense.parameters[output].name) && how != DENSE) continue;
                std::vector<std::string> layouts(dense.given.size(), DENSE);
                layouts[input] = layouts[output] = how;
                operands call(dense.op, type, shape, layouts);
                if (call.parameters[input].type != call.parameters[output].type) continue;
                call.given[output] = call.given[input];
                call.run();
                EXPECT_EQ(call.tensors[input]->bits(), dense.tensors[output]->bits()) << input;
            }
    });
}

// Inputs whose first dimension has stride 0, as a broadcast has it: the bits of rows that are written out.
TEST(aclnn_layouts, broadcast_inputs) {
    const operation &op = operation_named("backward");
    const call_shape shape = {{5, 3, 8}, 1};
    std::vector<std::string> layouts(9, DENSE);
    layouts[0] = layouts[1] = "0,8,1";
    layouts[2] = layouts[3] = "0,1,1";
    operands repeated(op, ACL_FLOAT, shape, layouts), dense(op, ACL_FLOAT, shape);
    for (size_t i = 0; i < 4; ++i) dense.tensors[i]->fill(repeated.tensors[i]->values());
    repeated.run();
    dense.run();
    EXPECT_EQ(repeated.bits(), dense.bits());
}

// A sliding window: rows that overlap in memory.
TEST(aclnn_layouts, overlapping_input) {
    const operation &op = operation_named("layer norm");
    operands overlapping(op, ACL_FLOAT, {{9, 16}, 1}), dense(op, ACL_FLOAT, {{9, 16}, 1});
    jitnorm::impl::memory_desc overlapping_rows = jitnorm::impl::make_dense(dims_t{9, 16}, jitnorm_f32);
    overlapping_rows.strides[0] = 1;
    const acl_tensor window({9, 16}, ACL_FLOAT, overlapping_rows);
    window.fill_normal(0, 1, 1);
    overlapping.given[0] = window.get();
    dense.tensors[0]->fill(window.values());
    overlapping.run();
    dense.run();
    EXPECT_EQ(overlapping.bits(), dense.bits());
}

// Statistics and gradients of another shape with as many elements in the same order.
TEST(aclnn_layouts, other_shapes_of_the_small_tensors) {
    const call_shape shape = {{4, 6, 5, 2}, 2};
    operands expected(operation_named("backward"), ACL_FLOAT, shape);
    expected.run();
    for (const auto &[rows, columns] :
         {std::pair<dims_t, dims_t>{{24}, {10}}, {{2, 2, 3, 2}, {1, 10}}, {{1, 4, 6}, {5, 1, 2}}, {{8, 3}, {2, 5}}}) {
        operands call(expected.op, ACL_FLOAT, shape);
        const acl_tensor mu(rows, ACL_FLOAT), rs(rows, ACL_FLOAT), dw(columns, ACL_FLOAT), db(columns, ACL_FLOAT);
        const std::pair<size_t, const acl_tensor *> others[] = {{2, &mu}, {3, &rs}, {7, &dw}, {8, &db}};
        for (const auto &[place, other] : others) call.given[place] = other->get();
        mu.fill(call.tensors[2]->values());
        rs.fill(call.tensors[3]->values());
        call.run();
        EXPECT_EQ(call.tensors[6]->bits(), expected.tensors[6]->bits());
        EXPECT_EQ(dw.bits(), expected.tensors[7]->bits());
        EXPECT_EQ(db.bits(), expected.tensors[8]->bits());
    }
}

// RMS normalization backward takes what forward writes, and any other shape with an element for each row.
TEST(aclnn_layouts, other_shapes_of_rstd) {
    const std::pair<call_shape, dims_t> cases[] = {
        {{{4, 3, 16}, 1}, {4, 3, 1}}, {{{4, 3, 16}, 1}, {12}}, {{{4, 3, 16}, 2}, {4, 1, 1, 1, 1}},
        {{{4, 1, 1, 16}, 1}, {4}},    {{{16}, 1}, {1, 1, 1}},  {{{1, 1, 2, 8}, 2}, {1, 1, 1, 1}},
        {{{0, 3, 16}, 1}, {0, 3, 1}}};
    for (const auto &[shape, dims] : cases) {
        operands expected(operation_named("RMS norm, backward"), ACL_FLOAT, shape), call(expected.op, ACL_FLOAT, shape);
        const acl_tensor rstd(dims, ACL_FLOAT);
        rstd.fill(call.tensors[2]->values());
        call.given[2] = rstd.get();
        expected.run();
        call.run();
        EXPECT_EQ(call.bits(), expected.bits()) << testing::PrintToString(dims);
    }
}

} // namespace
} // namespace jitnorm::tests
