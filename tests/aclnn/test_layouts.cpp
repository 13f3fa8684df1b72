// SPDX-License-Identifier: Apache-2.0
// Tensors that do not lie densely, in every position: the bits are those of the dense case.
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "chain.hpp"

namespace jitnorm::tests {
namespace {

constexpr layout chain_case::*POSITIONS[] = {&chain_case::x,  &chain_case::w,  &chain_case::b,  &chain_case::y,
                                             &chain_case::mu, &chain_case::rs, &chain_case::dy, &chain_case::dx,
                                             &chain_case::dw, &chain_case::db};

std::vector<std::vector<unsigned char>> bits_of(const chain_case &c) {
    chain tensors(c);
    tensors.run_forward();
    tensors.run_backward();
    return tensors.bits();
}

std::vector<chain_case> cases() {
    std::vector<chain_case> result;
    for (const auto &[dims, normalized] : {std::pair<dims_t, size_t>{{6, 40}, 1},
                                           {{3, 4, 5, 6}, 2},
                                           {{9, 7}, 2},
                                           {{2, 3, 2, 1, 2, 3, 2, 2}, 3},
                                           {{11}, 1}})
        for (const aclDataType type : {ACL_FLOAT, ACL_BF16}) {
            chain_case c;
            c.dims = dims;
            c.normalized = normalized;
            c.data = c.affine = type;
            result.push_back(c);
        }
    return result;
}

TEST(aclnn_layouts, one_tensor_at_a_time) {
    for (const chain_case &dense : cases()) {
        const auto expected = bits_of(dense);
        for (const auto position : POSITIONS)
            for (const layout how : {layout::reversed, layout::gaps}) {
                chain_case c = dense;
                c.*position = how;
                EXPECT_EQ(bits_of(c), expected) << c.name() << " position " << (&position - &POSITIONS[0]);
            }
    }
}

TEST(aclnn_layouts, all_tensors_at_once) {
    for (const chain_case &dense : cases()) {
        const auto expected = bits_of(dense);
        for (const layout how : {layout::reversed, layout::gaps}) {
            chain_case c = dense;
            for (const auto position : POSITIONS) c.*position = how;
            EXPECT_EQ(bits_of(c), expected) << c.name();
        }
    }
}

TEST(aclnn_layouts, every_other_position_without_a_scale) {
    for (chain_case c : cases()) {
        c.weight = c.bias = false;
        const auto expected = bits_of(c);
        for (size_t i = 0; i < std::size(POSITIONS); i += 2) c.*POSITIONS[i] = layout::gaps;
        EXPECT_EQ(bits_of(c), expected) << c.name();
    }
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

} // namespace
} // namespace jitnorm::tests
