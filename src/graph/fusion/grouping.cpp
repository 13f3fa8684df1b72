// SPDX-License-Identifier: Apache-2.0
#include "grouping.hpp"

#include <algorithm>
#include <queue>

namespace jitnorm::impl::graph {

grouping::grouping(const std::vector<const jitnorm_graph_op *> &ops) : writers_(ops.size()), group_(ops.size()) {
    std::map<size_t, size_t> writer; // by the tensor's id
    for (size_t i = 0; i < ops.size(); ++i) {
        group_[i] = i;
        for (const logical_tensor &output : ops[i]->outputs) writer[output.id] = i;
    }
    for (size_t i = 0; i < ops.size(); ++i)
        for (const logical_tensor &input : ops[i]->inputs)
            if (const auto found = writer.find(input.id); found != writer.end()) writers_[i].push_back(found->second);
}

bool grouping::is_alone(size_t op) const { return std::count(group_.begin(), group_.end(), group_[op]) == 1; }

bool grouping::join(const std::vector<size_t> &members) {
    std::vector<size_t> before = group_;
    const size_t last = *std::max_element(members.begin(), members.end());
    for (const size_t member : members) group_[member] = last;
    const std::vector<size_t> counts = sizes();
    const auto groups = std::count_if(counts.begin(), counts.end(), [](size_t count) { return count != 0; });
    const bool fits = in_order().size() == size_t(groups);
    if (!fits) group_ = std::move(before);
    return fits;
}

std::vector<size_t> grouping::sizes() const {
    std::vector<size_t> counts(group_.size());
    for (const size_t group : group_) ++counts[group];
    return counts;
}

// Kahn's algorithm (1962): the next group is the one with the least number among those whose inputs have been written.
// Groups that wait for each other in a circle are missing in the result.
std::vector<std::vector<size_t>> grouping::in_order() const {
    const std::vector<size_t> counts = sizes();
    std::vector<std::vector<size_t>> members(group_.size()), readers(group_.size()), result;
    std::vector<size_t> waiting(group_.size());
    for (size_t i = 0; i < group_.size(); ++i) {
        members[group_[i]].push_back(i);
        for (const size_t writer : writers_[i]) {
            if (group_[writer] == group_[i]) continue;
            readers[group_[writer]].push_back(group_[i]);
            ++waiting[group_[i]];
        }
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t group = 0; group < counts.size(); ++group)
        if (counts[group] != 0 && waiting[group] == 0) ready.push(group);
    while (!ready.empty()) {
        const size_t group = ready.top();
        ready.pop();
        for (const size_t reader : readers[group])
            if (--waiting[reader] == 0) ready.push(reader);
        result.push_back(std::move(members[group]));
    }
    return result;
}

} // namespace jitnorm::impl::graph
