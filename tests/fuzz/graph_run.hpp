// SPDX-License-Identifier: Apache-2.0
// graph_run: the tensors of a compiled partition's executions.
#pragma once

#include "graph_judge.hpp"
#include "tensor_regions.hpp"

namespace jitnorm::fuzz {

using compiled_partition = tests::owned<jitnorm_graph_compiled_partition *, jitnorm_graph_compiled_partition_destroy>;

// For a compiled partition and another one of the same operation by the reference.
class graph_tensors {
public:
    graph_tensors(byte_stream &choices, const graph_choice &what, const_jitnorm_graph_compiled_partition_t compiled);

    bool can_run() const { return can_run_; } // no tensor is too large
    std::optional<run_result> run(const_jitnorm_graph_compiled_partition_t compiled, jitnorm_stream_t on);
    // Judges what the last execution wrote, if that was a success. Restores the outputs.
    void judge(const graph_choice &what, const std::vector<size_t> &ops);
    void require_equal(const run_result &a, const run_result &b) const { regions_.require_equal(a, b, "ref:any"); }

private:
    struct tensor {
        logical_tensor described;
        bool is_output, has_handle, is_twice;
    };

    void add(byte_stream &choices, const graph_choice &what, const_jitnorm_graph_compiled_partition_t compiled,
             const logical_tensor &told, bool is_output);
    values_by_id values(bool outputs) const;
    void share_in_place(const_jitnorm_graph_compiled_partition_t compiled);

    std::vector<tensor> tensors_;
    tensor_regions regions_; // a tensor for each
    bool can_run_ = true;
};

} // namespace jitnorm::fuzz
