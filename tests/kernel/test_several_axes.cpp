// SPDX-License-Identifier: Apache-2.0
// Normalization over several of the last dimensions: the bits of the reference in every layout, and those of one
// dimension where the several are one.
#include <numeric>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

struct shape {
    std::vector<dim_t> dims;
    std::vector<const char *> layouts; // beside "dense"
};

const shape SHAPES[] = {
    {{5, 70}, {"gap", "ba"}},
    {{3, 4, 17}, {"gap", "spread", "bac", "cba", "@cab", "@acb", "aBc8b", "aBC8b8c+7"}},
    {{3, 1, 4, 9}, {"gap", "acdb", "dcba", "@bdca", "aBcd8b", "aBcd16b+7"}},
    {{2, 3, 2, 5, 7}, {"gap", "acdeb", "@edcba", "@baced", "aBcde8b"}},
    {{2, 1, 3, 2, 4, 5}, {"spread", "@abcefd", "@fedcba", "@dabcef"}},
    {{7, 3, 1500}, {"@acb", "@bac"}}, // rows of several chunks
    // blocks of rows that lie side by side in memory: a few, more than a cache line takes, of several dimensions, short
    {{3, 64, 9}, {"cba", "@cab"}},
    {{2, 37, 32, 3}, {"acdb", "dcba", "ABcd16b16a"}},
    {{3, 2, 5, 64, 2}, {"edcba", "@ecdba"}},
    {{6, 4, 4096}, {"cba"}},
};

const jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data};

std::string reversed(int ndims) {
    std::string text = "@";
    for (int d = ndims; d-- > 0;) text += char('a' + d);
    return text;
}

// Calls body with all kinds and numbers of axes.
template <typename Body>
void for_each_setup(const shape &shape, Body &&body) {
    const int ndims = int(shape.dims.size());
    for (const auto kind : KINDS)
        for (int axes = 1; axes < ndims; ++axes) body(setup{.kind = kind, .dims = shape.dims, .axes = axes});
}

class several_axes : public on_isa {};

TEST_P(several_axes, equal_the_reference_in_every_layout) {
    for (const shape &shape : SHAPES)
        for_each_setup(shape, [&](setup s) {
            expect_equal_to_reference(GetParam(), s);
            for (const char *layout : shape.layouts) {
                s.src = s.dst = s.diff_src = layout;
                expect_equal_to_reference(GetParam(), s);
                s.dst = "dense";
                expect_equal_to_reference(GetParam(), s);
                s.src = s.diff_src = "dense";
                s.dst = layout;
                s.statistics = reversed(int(s.dims.size()) - s.axes);
                expect_equal_to_reference(GetParam(), s);
                s.statistics = "dense";
            }
        });
}

TEST_P(several_axes, equal_the_reference_in_every_type) {
    for (const auto type : {jitnorm_bf16, jitnorm_f16, jitnorm_f64})
        for (const char *layout : {"dense", "acdb", "aBcd8b"})
            for_each_setup({{3, 5, 4, 9}, {}}, [&](setup s) {
                s.src = s.dst = s.diff_src = layout;
                s.src_type = s.dst_type = s.diff_src_type = type;
                s.affine_type = type == jitnorm_f64 ? jitnorm_f32 : type;
                s.side = guard_side::before;
                expect_equal_to_reference(GetParam(), s);
            });
}

// The same elements in the same order are the same rows, and threads have no say.
TEST_P(several_axes, equal_one_axis) {
    for (const auto kind : KINDS)
        for (int axes = 2; axes < 4; ++axes) {
            setup s{.kind = kind, .dims = {20, 9, 10, 45}, .axes = axes};
            const dim_t rows = std::accumulate(s.dims.begin(), s.dims.end() - axes, dim_t(1), std::multiplies<>());
            const setup flat{.kind = kind, .dims = {rows, 20 * 9 * 10 * 45 / rows}};
            const outputs expected = outputs_by(reference_entry, flat);
            for (const char *layout : {"dense", "acdb", "dcba", "gap"}) {
                s.src = s.dst = s.diff_src = layout;
                expect_for_threads(GetParam(), s, {1, 3}, expected);
            }
        }
}

TEST_P(several_axes, in_place) {
    for (const char *layout : {"dense", "acdb", "aBcd8b"})
        for_each_setup({{3, 5, 4, 9}, {}}, [&](setup s) {
            s.src = s.dst = s.diff_src = layout;
            s.in_place = true;
            expect_equal_to_reference(GetParam(), s);
        });
}

TEST_P(several_axes, none_of_some) {
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{0, 3, 4}, {2, 0, 4}, {2, 3, 0}})
        for_each_setup({dims, {}}, [&](const setup &s) { expect_equal_to_reference(GetParam(), s); });
}

memory_desc without_sizes(const memory_desc &md) {
    if (md.ndims == 0) return md;
    const std::vector<dim_t> unknown(size_t(md.ndims), impl::RUNTIME_DIM);
    memory_desc result;
    EXPECT_EQ(impl::make_with_strides(result, md.ndims, unknown.data(), md.data_type, unknown.data()), jitnorm_success);
    return result;
}

// Dense at one execution, in need of packing at another, by one executor.
TEST_P(several_axes, sizes_that_executions_bring) {
    for (const auto kind : KINDS)
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

impl::binary_post_op binary(const std::vector<dim_t> &dims, const std::string &layout, jitnorm_data_type_t type) {
    return {jitnorm_binary_mul, make_layout(layout, dims, type)};
}

// Operands that vary along any of the dimensions.
TEST_P(several_axes, broadcast_operands_of_post_ops) {
    const std::vector<dim_t> dims = {4, 3, 5, 6};
    for (unsigned mask = 0; mask < 16; ++mask) {
        std::vector<dim_t> operand = dims;
        for (size_t d = 0; d < dims.size(); ++d)
            if ((mask >> d & 1) == 0) operand[d] = 1;
        for (const auto &[layout, type] :
             {std::pair{"dense", jitnorm_f32}, {"dcba", jitnorm_bf16}, {"acdb", jitnorm_f64}})
            for (const char *data : {"dense", "acdb"})
                for (int axes = 1; axes < 4; ++axes) {
                    setup s{.kind = jitnorm_forward_training, .dims = dims, .src = data, .dst = data, .axes = axes};
                    s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_relu, 0.1F, 0},
                                               binary(operand, layout, type),
                                               impl::sum_post_op{0.5F, 0, jitnorm_data_type_undef}};
                    s.in_place = true; // what sum adds
                    expect_equal_to_reference(GetParam(), s);
                }
    }
}

INSTANTIATE_TEST_SUITE_P(native, several_axes, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
