// SPDX-License-Identifier: Apache-2.0
// grouping: the operations of a graph parted into groups, each of which is computed as one: it reads all before it
// writes anything.
#pragma once

#include <cstddef>
#include <vector>

#include "../operation/op.hpp"

namespace jitnorm::impl::graph {

class grouping {
public:
    // Each operation alone. No circle is among them.
    explicit grouping(const std::vector<const jitnorm_graph_op *> &ops);

    bool is_alone(size_t op) const;
    // The operations become one group. False, and nothing changes, where groups would then wait for each other.
    bool join(const std::vector<size_t> &members);

    // The groups in an order in which they may be executed, as early as the last of their operations allows.
    std::vector<std::vector<size_t>> in_order() const;

private:
    std::vector<size_t> sizes() const;

    std::vector<std::vector<size_t>> writers_; // of what each operation reads
    std::vector<size_t> group_;                // of each operation: the number of its last one
};

} // namespace jitnorm::impl::graph
