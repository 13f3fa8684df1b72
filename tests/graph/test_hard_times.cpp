// SPDX-License-Identifier: Apache-2.0
// When the system gives no memory: each allocation of each creation fails once, executions allocate nothing, and
// without pages for code the reference takes over.
#include "compiled_op.hpp"
#include "rig/scarce_memory.hpp"

namespace jitnorm::tests {
namespace {

// Strided gamma, so that compiled partitions copy.
op_request strided_request() {
    op_request request = layer_norm();
    request.inputs[1] = make_strided_lt(GAMMA_ID, {4}, {3});
    return request;
}

TEST(out_of_memory, objects_say_so) {
    const op_request request = strided_request();
    expect_each_failure_told("operation", jitnorm_out_of_memory, [] {
        owned_op op;
        return jitnorm_graph_op_create(&op, 1, jitnorm_graph_op_layer_norm, "a name too long to be kept in place");
    });
    expect_each_failure_told("input", jitnorm_out_of_memory, [] {
        owned_op op;
        const lt t = {};
        const long left = std::exchange(allocations_left, -1);
        EXPECT_OK(jitnorm_graph_op_create(&op, 1, jitnorm_graph_op_layer_norm, ""));
        allocations_left = left;
        return jitnorm_graph_op_add_input(op, &t);
    });
    expect_each_failure_told("graph", jitnorm_out_of_memory, [] {
        owned_graph graph;
        return jitnorm_graph_graph_create(&graph, jitnorm_cpu);
    });
    const owned_op op = request.make();
    expect_each_failure_told("partition", jitnorm_out_of_memory, [&] {
        owned_partition partition;
        return jitnorm_graph_partition_create_with_op(&partition, op, jitnorm_cpu);
    });
    expect_each_failure_told("tensor", jitnorm_out_of_memory, [&] {
        owned_tensor tensor;
        return jitnorm_graph_tensor_create(&tensor, &request.inputs[0], cpu(), JITNORM_MEMORY_ALLOCATE);
    });
    const owned_partition partition = request.partition();
    owned_compiled compiled;
    EXPECT_OK(jitnorm_graph_compiled_partition_create(&compiled, partition));
    std::vector<const lt *> ins = pointers_to(request.inputs), outs = pointers_to(request.outputs);
    expect_each_failure_told("compilation", jitnorm_out_of_memory, [&] {
        return jitnorm_graph_partition_compile(partition, compiled, ins.size(), ins.data(), outs.size(), outs.data(),
                                               cpu());
    });
}

// Its text needs memory when the work is done.
TEST(out_of_memory, no_execution_fails_for_the_log) {
    execution e(layer_norm());
    EXPECT_OK(e.run());
    jitnorm_status_t status = jitnorm_success;
    testing::internal::CaptureStdout();
    EXPECT_OK(jitnorm_set_verbose(1));
    no_memory = true;
    status = e.run();
    no_memory = false;
    EXPECT_OK(jitnorm_set_verbose(0));
    testing::internal::GetCapturedStdout();
    EXPECT_OK(status);
}

TEST(out_of_memory, executions_allocate_nothing) {
    for (const op_request &request : {strided_request(), layer_norm_backward(), layer_norm_grad()}) {
        execution e(request);
        EXPECT_OK(e.run()); // the thread's scratchpad may grow
        const long before = allocations;
        EXPECT_OK(e.run());
        EXPECT_EQ(allocations, before);
    }
}

TEST(out_of_memory, without_pages_for_code) {
    op_request request = layer_norm();
    request.floats = {{jitnorm_graph_op_attr_epsilon, 0.F}};
    for (std::vector<lt> *list : {&request.inputs, &request.outputs})
        for (lt &t : *list) t.data_type = jitnorm_bf16; // types that no kernel was made for yet
    refuse_code_pages = true;
    execution e(request);
    EXPECT_OK(e.run());
    refuse_code_pages = false;
}

} // namespace
} // namespace jitnorm::tests
