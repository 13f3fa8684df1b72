// SPDX-License-Identifier: Apache-2.0
// graph_tensor: a guarded tensor as the graph interface sees it, and one operation run from its creation to its
// execution.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "jitnorm/jitnorm_graph.hpp"
#include "support/layouts.hpp"
#include "support/tensor.hpp"

namespace jitnorm::tests {

using graph::logical_tensor;
using graph::op;
using shape = std::vector<dim_t>;

inline dim_t count(const shape &dims) {
    dim_t result = 1;
    for (const dim_t d : dims) result *= d;
    return result;
}

// The value that a broadcast operand of the dimensions `own` has for each element of a tensor.
inline std::vector<double> broadcast(const std::vector<double> &values, const shape &own, const shape &to) {
    std::vector<double> result(size_t(count(to)));
    const size_t more = to.size() - own.size();
    for (size_t i = 0; i < result.size(); ++i) {
        size_t rest = i, at = 0, step = 1;
        for (size_t d = to.size(); d-- > more; rest /= size_t(to[d])) {
            if (own[d - more] != 1) at += rest % size_t(to[d]) * step;
            step *= size_t(own[d - more]);
        }
        result[i] = values[at];
    }
    return result;
}

struct graph_tensor {
    graph_tensor() = default;
    // No dimensions: a scalar.
    graph_tensor(size_t id, const shape &dims, jitnorm_data_type_t type, const std::string &layout = "dense")
        : data(make_layout(dims.empty() ? "dense" : layout, dims.empty() ? shape{1} : dims, type)),
          described(id, logical_tensor::data_type(type), dims,
                    shape(data.md().strides, data.md().strides + dims.size())) {}

    graph_tensor filled(const std::vector<double> &values) && {
        data.fill(values);
        return std::move(*this);
    }
    graph::tensor on(const engine &e) const { return graph::tensor(described, e, data.data()); }

    tests::tensor data;
    logical_tensor described;
};

inline std::vector<logical_tensor> descriptions_of(const std::vector<const graph_tensor *> &tensors) {
    std::vector<logical_tensor> result;
    for (const graph_tensor *t : tensors) result.push_back(t->described);
    return result;
}

inline std::vector<graph::partition> partitions_of(const std::vector<op> &ops,
                                                   graph::partition::policy policy = graph::partition::policy::fusion) {
    graph::graph g(engine::kind::cpu);
    for (const op &o : ops) g.add_op(o);
    g.finalize();
    return g.get_partitions(policy);
}

// Inputs become read-only, and whatever surrounds the outputs' elements must stay as it was.
inline void execute_partition(const graph::partition &partition, const std::vector<const graph_tensor *> &inputs,
                              const std::vector<const graph_tensor *> &outputs) {
    const engine cpu(engine::kind::cpu, 0);
    stream where(cpu);
    const auto compiled = partition.compile(descriptions_of(inputs), descriptions_of(outputs), cpu);
    std::vector<graph::tensor> ins, outs;
    for (const graph_tensor *t : inputs) {
        t->data.make_read_only();
        ins.push_back(t->on(cpu));
    }
    for (const graph_tensor *t : outputs) outs.push_back(t->on(cpu));
    compiled.execute(where, ins, outs);
    for (const graph_tensor *t : outputs) EXPECT_TRUE(t->data.surroundings_are_right()) << t->described.get_id();
}

using configuration = std::function<void(op &)>;

inline void run_op(op::kind kind, const std::vector<const graph_tensor *> &inputs,
                   const std::vector<const graph_tensor *> &outputs, const configuration &configure) {
    op operation(7, kind, descriptions_of(inputs), descriptions_of(outputs), "tested");
    configure(operation);
    const std::vector<graph::partition> partitions = partitions_of({operation});
    EXPECT_EQ(partitions.size(), 1u);
    EXPECT_TRUE(partitions[0].is_supported());
    execute_partition(partitions[0], inputs, outputs);
}

} // namespace jitnorm::tests
