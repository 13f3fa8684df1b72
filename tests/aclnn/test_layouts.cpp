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

// Inputs that repeat themselves in memory, as a broadcast has it: the bits of rows that are written out.
TEST(aclnn_layouts, of_inputs_that_share_elements) {
    const struct {
        const char *operation;
        call_shape shape;
        std::map<size_t, std::string> layouts;
    } cases[] = {{"backward", {{5, 3, 8}, 1}, {{0, "0,8,1"}, {1, "0,8,1"}, {2, "0,1,1"}, {3, "0,1,1"}}},
                 {"add, layer norm, bias of elements", {}, {{4, "0,1"}}}};
    for (const auto &[name, shape, shared] : cases) {
        const operation &op = operation_named(name);
        std::vector<std::string> layouts(parameters_of(op, ACL_FLOAT).size(), DENSE);
        for (const auto &[place, layout] : shared) layouts[place] = layout;
        operands sharing(op, ACL_FLOAT, shape, layouts), dense(op, ACL_FLOAT, shape);
        for (const auto &[place, layout] : shared) dense.tensors[place]->fill(sharing.tensors[place]->values());
        sharing.run();
        dense.run();
        EXPECT_EQ(sharing.bits(), dense.bits()) << name;
    }
}

// A sliding window: rows that overlap in memory.
TEST(aclnn_layouts, of_rows_that_overlap) {
    const operation &op = operation_named("layer norm");
    operands overlapping(op, ACL_FLOAT, {{9, 16}, 1}), dense(op, ACL_FLOAT, {{9, 16}, 1});
    jitnorm::impl::memory_desc rows = jitnorm::impl::make_dense(dims_t{9, 16}, jitnorm_f32);
    rows.strides[0] = 1;
    const acl_tensor window({9, 16}, ACL_FLOAT, rows);
    window.fill_normal(0, 1, 1);
    overlapping.given[0] = window.get();
    dense.tensors[0]->fill(window.values());
    overlapping.run();
    dense.run();
    EXPECT_EQ(overlapping.bits(), dense.bits());
}

// Statistics, gradients and quantized rows of other shapes with as many elements in the same order.
TEST(aclnn_layouts, of_other_shapes) {
    const struct {
        const char *operation;
        aclDataType type;
        call_shape shape;
        std::map<size_t, dims_t> others;
    } cases[] = {
        {"backward", ACL_FLOAT, {{4, 6, 5, 2}, 2}, {{2, {24}}, {3, {24}}, {7, {10}}, {8, {10}}}},
        {"backward", ACL_FLOAT, {{4, 6, 5, 2}, 2}, {{2, {2, 2, 3, 2}}, {3, {2, 2, 3, 2}}, {7, {1, 10}}, {8, {1, 10}}}},
        {"backward", ACL_FLOAT, {{4, 6, 5, 2}, 2}, {{2, {1, 4, 6}}, {3, {1, 4, 6}}, {7, {5, 1, 2}}, {8, {5, 1, 2}}}},
        {"backward", ACL_FLOAT, {{4, 6, 5, 2}, 2}, {{2, {8, 3}}, {3, {8, 3}}, {7, {2, 5}}, {8, {2, 5}}}},
        {"RMS norm, backward", ACL_FLOAT, {{4, 3, 16}, 1}, {{2, {4, 3, 1}}}},
        {"RMS norm, backward", ACL_FLOAT, {{4, 3, 16}, 1}, {{2, {12}}}},
        {"RMS norm, backward", ACL_FLOAT, {{4, 3, 16}, 2}, {{2, {4, 1, 1, 1, 1}}}},
        {"RMS norm, backward", ACL_FLOAT, {{4, 1, 1, 16}, 1}, {{2, {4}}}},
        {"RMS norm, backward", ACL_FLOAT, {{16}, 1}, {{2, {1, 1, 1}}}},
        {"RMS norm, backward", ACL_FLOAT, {{1, 1, 2, 8}, 2}, {{2, {1, 1, 1, 1}}}},
        {"RMS norm, backward", ACL_FLOAT, {{0, 3, 16}, 1}, {{2, {0, 3, 1}}}},
        {"add, RMS norm to 8 bits twice", ACL_BF16, {{2, 3, 33}, 1}, {{5, {6, 33}}, {8, {6}}}}};
    for (const auto &[name, type, shape, others] : cases) {
        SCOPED_TRACE(std::string(name) + " " + testing::PrintToString(others));
        operands expected(operation_named(name), type, shape), call(expected.op, type, shape);
        for (const auto &[place, dims] : others) {
            auto other = std::make_unique<acl_tensor>(dims, call.tensors[place]->type());
            if (call.parameters[place].use == '<') other->fill(call.tensors[place]->values());
            call.tensors[place] = std::move(other);
            call.given[place] = call.tensors[place]->get();
        }
        expected.run();
        call.run();
        EXPECT_EQ(call.bits(), expected.bits());
    }
}

} // namespace
} // namespace jitnorm::tests
