// SPDX-License-Identifier: Apache-2.0
// grouping: parts the operations of a graph into groups. Each group is computed as one operation: its inputs must all
// have been written before it begins.
#pragma once

#include <cstddef>
#include <vector>

#include "../operation/op.hpp"

namespace jitnorm::impl::graph {

class grouping {
public:
    // Each operation becomes a group of its own. An operation's number is its place in `ops`. The operations must not
    // wait for each other in a circle.
    explicit grouping(const std::vector<const jitnorm_graph_op *> &ops);

    bool is_alone(size_t op) const; // in its group
    // Makes the operations one group. If groups would then wait for each other in a circle, returns false and changes
    // nothing.
    bool join(const std::vector<size_t> &members);

    // The groups, as numbers of operations, in an order in which they can be executed. If several groups can be next,
    // the one whose last operation has the least number is.
    std::vector<std::vector<size_t>> in_order() const;

private:
    std::vector<size_t> sizes() const; // by the group's number

    std::vector<std::vector<size_t>> writers_; // for each operation, those that write its inputs
    std::vector<size_t> group_; // for each operation, its group's number, which is that of the group's last operation
};

} // namespace jitnorm::impl::graph
