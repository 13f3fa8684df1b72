// SPDX-License-Identifier: Apache-2.0
// Sizes and layouts that are known at execution and differ from the execution before.
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

class late_sizes : public on_isa {
protected:
    // By an executor that was made without them.
    static void expect_reference(const executor &made, const setup &s) {
        run r(s);
        const plan how = plan_of(jit_for(GetParam()), r.p);
        r.execute_on(made, how.scratchpad.bytes(), &how);
        expect_same(outputs_of(r), outputs_by(reference_entry, s), s, "sizes of run time");
    }
};

// Dense at one execution, in need of packing at another, by one executor.
TEST_P(late_sizes, of_one_executor_differ_from_execution_to_execution) {
    for (const auto kind : {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data})
        for (int axes = 1; axes < 4; ++axes) {
            setup s{.kind = kind, .dims = {3, 5, 4, 9}, .axes = axes};
            const problem unknown = with_runtime_sizes(make_problem(s));
            ASSERT_EQ(validate(unknown).code, jitnorm_success);
            const auto executor = create(jit_for(GetParam()), unknown);
            for (const char *layout : {"dense", "acdb", "dcba", "gap"}) {
                s.src = s.dst = s.diff_src = layout;
                expect_reference(*executor, s);
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
    const auto executor = create(jit_for(GetParam()), with_runtime_sizes(make_problem(with_columns(3))));
    expect_reference(*executor, with_columns(1));
}

INSTANTIATE_TEST_SUITE_P(native, late_sizes, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
