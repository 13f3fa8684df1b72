// SPDX-License-Identifier: Apache-2.0
// fused_graph: a graph of a normalization and a chain of operations after it, each reading what the one before wrote,
// and which operations of a graph become one partition.
#pragma once

#include "graph_tensor.hpp"

namespace jitnorm::tests {

// One operation of the chain.
struct link {
    op::kind kind;
    jitnorm_data_type_t type = jitnorm_f32;  // of what it writes
    std::vector<logical_tensor> others = {}; // what it reads beside the chain
    bool other_is_first = false;             // of its inputs
    configuration configure = [](op &) {};
};

inline logical_tensor dense(size_t id, const shape &dims, jitnorm_data_type_t type = jitnorm_f32) {
    return {id, logical_tensor::data_type(type), dims, logical_tensor::layout_type::strided};
}
// A tensor of which nothing but its type is said.
inline logical_tensor unknown(size_t id, jitnorm_data_type_t type = jitnorm_f32) {
    return {id, logical_tensor::data_type(type)};
}

template <typename Value>
link with_attr(op::kind kind, op::attr name, Value value, std::vector<logical_tensor> others = {}) {
    return {kind, jitnorm_f32, std::move(others), false, [=](op &o) { o.set_attr<Value>(name, value); }};
}

inline link quantize(float scale, jitnorm_data_type_t type = jitnorm_s8, std::vector<int64_t> zero_points = {}) {
    return {op::kind::Quantize, type, {}, false, [=](op &o) {
                o.set_attr<std::vector<float>>(op::attr::scales, {scale});
                if (!zero_points.empty()) o.set_attr<std::vector<int64_t>>(op::attr::zps, zero_points);
            }};
}

// Operations 1, 2, ...; the norm, which is the first, writes tensor 50, what follows 51 and so on.
constexpr size_t FIRST_OP = 1, FIRST_RESULT = 50;

struct fused_graph {
    op::kind norm = op::kind::LayerNorm;
    std::vector<logical_tensor> inputs = {dense(10, {2, 3, 4})}; // of the norm
    std::vector<link> links = {};
    configuration configure = [](op &) {};
    std::vector<logical_tensor> statistics = {}; // outputs

    size_t result() const { return FIRST_RESULT + links.size(); }

    std::vector<op> ops() const {
        const auto type = jitnorm_data_type_t(inputs[0].get_data_type());
        std::vector<logical_tensor> outputs = {unknown(FIRST_RESULT, type)};
        outputs.insert(outputs.end(), statistics.begin(), statistics.end());
        std::vector<op> made = {op(FIRST_OP, norm, inputs, outputs, "norm")};
        if (norm == op::kind::LayerNorm) made[0].set_attr<bool>(op::attr::keep_stats, !statistics.empty());
        configure(made[0]);
        logical_tensor value = outputs[0];
        for (size_t i = 0; i < links.size(); ++i) {
            std::vector<logical_tensor> reads = links[i].others;
            reads.insert(links[i].other_is_first ? reads.end() : reads.begin(), value);
            value = unknown(FIRST_RESULT + 1 + i, links[i].type);
            made.emplace_back(FIRST_OP + 1 + i, links[i].kind, reads, std::vector<logical_tensor>{value}, "link");
            links[i].configure(made.back());
        }
        return made;
    }
};

using groups = std::vector<std::vector<size_t>>;

inline std::vector<size_t> ids_of(const std::vector<logical_tensor> &tensors) {
    std::vector<size_t> ids;
    for (const logical_tensor &t : tensors) ids.push_back(t.get_id());
    return ids;
}

inline groups groups_of(const std::vector<op> &ops,
                        graph::partition::policy policy = graph::partition::policy::fusion) {
    groups result;
    for (const graph::partition &p : partitions_of(ops, policy)) result.push_back(p.get_ops());
    return result;
}
inline groups groups_of(const fused_graph &g) { return groups_of(g.ops()); }

inline fused_graph chain(std::vector<link> links) {
    fused_graph g;
    g.links = std::move(links);
    return g;
}

// All in one partition, which is supported; or each in its own, of which only the norm's is supported.
inline void expect_fused(const fused_graph &g) {
    const auto partitions = partitions_of(g.ops());
    ASSERT_EQ(partitions.size(), 1u);
    EXPECT_EQ(partitions[0].get_ops_num(), g.links.size() + 1);
    EXPECT_TRUE(partitions[0].is_supported());
}
inline void expect_separate(const fused_graph &g) {
    const auto partitions = partitions_of(g.ops());
    ASSERT_EQ(partitions.size(), g.links.size() + 1);
    for (size_t i = 0; i < partitions.size(); ++i) {
        EXPECT_EQ(partitions[i].get_ops(), std::vector<size_t>{FIRST_OP + i});
        EXPECT_EQ(partitions[i].is_supported(), i == 0);
    }
}

inline const shape DIMS = {2, 3, 4};

template <typename Body>
jitnorm_status_t status_of(Body &&body) {
    try {
        body();
    } catch (const error &e) {
        return e.status;
    }
    return jitnorm_success;
}

} // namespace jitnorm::tests
