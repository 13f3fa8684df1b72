// SPDX-License-Identifier: Apache-2.0
// Sizes and layouts that are known at execution and differ from the execution before.
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

class late_sizes : public on_isa {};

memory_desc without_sizes(const memory_desc &md) {
    if (md.ndims == 0) return md;
    const std::vector<dim_t> unknown(size_t(md.ndims), impl::RUNTIME_DIM);
    memory_desc result;
    EXPECT_EQ(impl::make_with_strides(result, md.ndims, unknown.data(), md.data_type, unknown.data()), jitnorm_success);
    return result;
}

// Dense at one execution, in need of packing at another, by one executor.
TEST_P(late_sizes, of_one_executor_differ_from_execution_to_execution) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data})
        for (int axes = 1; axes < 4; ++axes) {
            setup s{.kind = kind, .dims = {3, 5, 4, 9}, .axes = axes};
            const implementation &entry = jit_for(GetParam());
            problem unknown = make_problem(s);
            unknown.for_each_descriptor([](memory_desc &md) { md = without_sizes(md); });
            ASSERT_EQ(validate(unknown).code, jitnorm_success);
            const auto executor = create(entry, unknown);
            for (const char *layout : {"dense", "acdb", "dcba", "gap"}) {
                s.src = s.dst = s.diff_src = layout;
                run r(s);
                const plan how = plan_of(entry, r.p);
                r.execute_on(*executor, how.scratchpad.bytes(), &how);
                expect_same(outputs_of(r), outputs_by(reference_entry, s), s, "sizes of run time");
            }
        }
}

// Then a row of an operand is one element, but not one value for a row of dst.
TEST_P(late_sizes, of_rows_that_turn_out_to_have_one_element) {
    const auto with_columns = [](dim_t columns) {
        setup s{.dims = {5, columns}};
        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_add, dense({5, columns}, jitnorm_bf16)}};
        return s;
    };
    const implementation &entry = jit_for(GetParam());
    const auto executor = create(entry, with_runtime_sizes(make_problem(with_columns(3))));
    const setup s = with_columns(1);
    run r(s);
    const plan how = plan_of(entry, r.p);
    r.execute_on(*executor, how.scratchpad.bytes(), &how);
    expect_same(outputs_of(r), outputs_by(reference_entry, s), s, "one element");
}

INSTANTIATE_TEST_SUITE_P(native, late_sizes, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
