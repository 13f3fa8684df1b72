// SPDX-License-Identifier: Apache-2.0
// graph: the object behind the C interface's handle. It takes operations until it is finalized, and then has their
// partitions.
#pragma once

#include "fusion/fusion.hpp"
#include "fusion/grouping.hpp"
#include "partition.hpp"

struct jitnorm_graph_graph {
    using status = jitnorm::impl::status;

    jitnorm_engine_kind_t engine_kind;
    jitnorm_fpmath_mode_t fpmath_mode;
    int fpmath_applies_to_int = 0;
    bool is_finalized = false;
    std::vector<jitnorm::impl::graph::partition_pointer> partitions; // empty until the graph is filtered

    jitnorm_graph_graph(jitnorm_engine_kind_t kind, jitnorm_fpmath_mode_t mode)
        : engine_kind(kind), fpmath_mode(mode) {}

    status add(const jitnorm_graph_op &op);
    status finalize();
    void filter(jitnorm_graph_partition_policy_t policy); // makes the partitions of a finalized graph

private:
    struct node {
        jitnorm_graph_op op;
        std::optional<jitnorm::impl::graph::norm_op> norm; // none if the operation is not supported
    };

    status check_tensors() const;
    status sort();
    std::vector<size_t> readers(size_t tensor) const;
    std::optional<size_t> writer(size_t tensor) const;
    void take_addition(jitnorm::impl::graph::fusion &joined, std::vector<size_t> &members,
                       jitnorm::impl::graph::grouping &groups) const;
    void take_followers(jitnorm::impl::graph::fusion &joined, std::vector<size_t> &members,
                        jitnorm::impl::graph::grouping &groups) const;

    std::vector<node> nodes_; // in a finalized graph each is behind those whose outputs it reads
};
