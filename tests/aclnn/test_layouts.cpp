// SPDX-License-Identifier: Apache-2.0
// Tensors that do not lie densely, in every position: the bits are those of the dense case.
#include "operations.hpp"

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
        for (const layout how : {layout::reversed, layout::gaps})
            for (size_t position = 0; position <= count; ++position) {
                std::vector<layout> layouts(count, layout::dense);
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
TEST(aclnn_layouts, in_place_have_the_bits_of_tensors_apart) {
    for_each_call([](const operands &dense, aclDataType type, const call_shape &shape) {
        for (const auto &[input, output] : dense.op.in_place)
            for (const layout how : {layout::dense, layout::reversed, layout::gaps}) {
                if (dense.op.contiguous.contains(dense.parameters[output].name) && how != layout::dense) continue;
                std::vector<layout> layouts(dense.given.size(), layout::dense);
                layouts[input] = layouts[output] = how;
                operands call(dense.op, type, shape, layouts);
                if (call.parameters[input].type != call.parameters[output].type) continue;
                call.given[output] = call.given[input];
                call.run();
                EXPECT_EQ(call.tensors[input]->bits(), dense.tensors[output]->bits()) << input;
            }
    });
}

// Inputs whose first dimension has stride 0, as a broadcast has it: the same as the rows written out.
TEST(aclnn_layouts, broadcast_inputs) {
    const dims_t dims = {5, 3, 8}, columns = {8}, rows = {5, 3, 1};
    std::vector<std::vector<unsigned char>> results;
    for (const layout how : {layout::dense, layout::broadcast}) {
        const acl_tensor x(dims, ACL_FLOAT, how), dy(dims, ACL_FLOAT, how), mu(rows, ACL_FLOAT, how),
            rs(rows, ACL_FLOAT, how), dx(dims, ACL_FLOAT), dw(columns, ACL_FLOAT), db(columns, ACL_FLOAT);
        const auto fill = [](const acl_tensor &t, double step) {
            std::vector<double> values(t.count());
            for (size_t i = 0; i < values.size(); ++i) values[i] = step * double(i % (values.size() / 5)) + 1;
            t.fill(values);
        };
        fill(x, 0.75);
        fill(dy, -0.3);
        fill(mu, 0.5);
        fill(rs, 0.25);
        expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, dy.get(), x.get(),
                    int_array(columns).get(), mu.get(), rs.get(), nullptr, nullptr, mask_of(true, true, true).get(),
                    dx.get(), dw.get(), db.get());
        for (const acl_tensor *t : {&dx, &dw, &db}) results.push_back(t->bits());
    }
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(results[i], results[3 + i]);
}

// A sliding window: rows that overlap in memory.
TEST(aclnn_layouts, overlapping_input) {
    constexpr int64_t rows = 9, columns = 16;
    const acl_tensor window({rows, columns}, ACL_FLOAT, dims_t{1, 1}, 0), copy({rows, columns}, ACL_FLOAT),
        y1({rows, columns}, ACL_FLOAT), y2({rows, columns}, ACL_FLOAT);
    window.fill([] {
        std::vector<double> values(rows * columns);
        for (int64_t i = 0; i < rows * columns; ++i) values[size_t(i)] = double((i / columns + i % columns) * 7 % 5);
        return values;
    }());
    copy.fill(window.values());
    for (const auto &[in, out] : {std::pair{&window, &y1}, {&copy, &y2}}) {
        expect_runs(aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, in->get(), int_array({columns}).get(), nullptr,
                    nullptr, 1e-5, out->get(), nullptr, nullptr);
    }
    EXPECT_EQ(y1.bits(), y2.bits());
}

// Statistics and gradients of another shape with as many elements in the same order.
TEST(aclnn_layouts, other_shapes_of_the_small_tensors) {
    const dims_t dims = {4, 6, 5, 2};
    const acl_tensor x(dims, ACL_FLOAT), dy(dims, ACL_FLOAT), dx(dims, ACL_FLOAT), w({5, 2}, ACL_FLOAT);
    x.fill_normal(0, 1, 1);
    dy.fill_normal(0, 1, 2);
    w.fill_normal(1, 1, 3);
    std::vector<std::vector<unsigned char>> results;
    for (const auto &[rows, columns] : {std::pair<dims_t, dims_t>{{4, 6, 1, 1}, {5, 2}},
                                        {{24}, {10}},
                                        {{2, 2, 3, 2}, {1, 10}},
                                        {{1, 4, 6}, {5, 1, 2}},
                                        {{8, 3}, {2, 5}}}) {
        const acl_tensor mu(rows, ACL_FLOAT), rs(rows, ACL_FLOAT), dw(columns, ACL_FLOAT), db(columns, ACL_FLOAT);
        mu.fill_normal(0, 1, 4);
        rs.fill_normal(1, 0.1, 5);
        expect_runs(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, dy.get(), x.get(),
                    int_array({5, 2}).get(), mu.get(), rs.get(), w.get(), nullptr, mask_of(true, true, true).get(),
                    dx.get(), dw.get(), db.get());
        for (const acl_tensor *t : {&dx, &dw, &db}) results.push_back(t->bits());
    }
    for (size_t i = 3; i < results.size(); ++i) EXPECT_EQ(results[i], results[i % 3]) << i;
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
