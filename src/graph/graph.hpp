// SPDX-License-Identifier: Apache-2.0
// graph as the C interface's handle knows it: operations, then their partitions.
#pragma once

#include "partition.hpp"

struct jitnorm_graph_graph {
    using verdict = jitnorm::impl::verdict;

    jitnorm_engine_kind_t engine_kind;
    jitnorm_fpmath_mode_t fpmath_mode;
    int fpmath_applies_to_int = 0;
    bool is_finalized = false;
    std::vector<jitnorm::impl::graph::partition_pointer> partitions; // empty until the graph is filtered

    jitnorm_graph_graph(jitnorm_engine_kind_t kind, jitnorm_fpmath_mode_t mode)
        : engine_kind(kind), fpmath_mode(mode) {}

    verdict add(const jitnorm_graph_op &op);
    verdict finalize();
    void filter(jitnorm_graph_partition_policy_t policy);

private:
    struct node {
        jitnorm_graph_op op;
        std::optional<jitnorm::impl::graph::norm_op> norm;
    };

    struct fused {
        std::vector<size_t> nodes;
        jitnorm::impl::graph::norm_op norm;
    };

    verdict check_tensors() const;
    verdict sort();
    std::optional<size_t> only_reader(size_t tensor) const;
    bool keeps_statistics_to_itself(const node &n) const;
    std::optional<fused> fuse(size_t first) const;

    std::vector<node> nodes_; // once finalized, each after those whose outputs it reads
};
