// SPDX-License-Identifier: Apache-2.0
// fusion_groups: which operations of a graph become one partition.
#pragma once

#include "fused_graph.hpp"

namespace jitnorm::tests {

using groups = std::vector<std::vector<size_t>>;

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

} // namespace jitnorm::tests
