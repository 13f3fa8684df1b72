// SPDX-License-Identifier: Apache-2.0
// The gradient of a sum with a residual, which backward adds to its own: kernels give the reference's bits for every
// type, layout, length and number of threads.
#include "residual_setup.hpp"

namespace jitnorm::tests {
namespace {

setup backward_of(dim_t rows, dim_t columns, jitnorm_data_type_t type, jitnorm_data_type_t sum_type) {
    setup s = setup_of_sum(rows, columns, type, sum_type);
    s.kind = columns % 3 == 0 ? jitnorm_backward_data : jitnorm_backward;
    s.diff_src_type = type;
    s.residual.added = "";
    return s;
}

constexpr jitnorm_data_type_t FLOATING[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};

class residual_gradient : public on_isa {};
class emulated_residual_gradient : public on_isa {};

TEST_P(residual_gradient, of_every_type_and_length) {
    for (dim_t C : RESIDUAL_LENGTHS)
        for (auto type : FLOATING)
            for (auto sum_type : FLOATING) {
                setup s = backward_of(5, C, type, sum_type);
                if (C % 2 == 0) s.dst_type = s.diff_src_type = jitnorm_bf16; // where vectors are crossed
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

TEST_P(emulated_residual_gradient, types) {
    for (auto type : FLOATING)
        for (auto sum_type : FLOATING) expect_equal_to_reference(GetParam(), backward_of(3, 37, type, sum_type));
}

TEST_P(residual_gradient, of_every_layout) {
    const char *const layouts[] = {"dense", "@cab", "@bac", "aBc8b", "gap", "spread", "dense+7"};
    for (const std::vector<dim_t> &dims : {std::vector<dim_t>{3, 10, 21}, {40, 48, 32}, {2, 5, 4100}})
        for (const char *one : layouts)
            for (int which = 0; which < 5; ++which) {
                setup s = backward_of(1, 1, jitnorm_f32, which % 2 == 0 ? jitnorm_f32 : jitnorm_bf16);
                s.kind = which % 2 == 0 ? jitnorm_backward : jitnorm_backward_data;
                s.dims = dims;
                s.flags = RESIDUAL_FLAGS[which % 3];
                s.seed = 3;
                if (which == 0 || which == 4) s.src = one;
                if (which == 1 || which == 4) s.dst = one;
                if (which == 2 || which == 4) s.residual.sum = one;
                if (which == 3 || which == 4) s.diff_src = one;
                expect_equal_to_reference(GetParam(), s);
                if (HasFailure()) return;
            }
}

TEST_P(residual_gradient, in_place) {
    for (const char *layout : {"dense", "@ba"})
        for (dim_t C : {33, 1000, 10000, 140000})
            for (auto kind : {jitnorm_backward, jitnorm_backward_data}) {
                setup s = backward_of(7, C, jitnorm_f32, jitnorm_f32);
                s.kind = kind;
                s.src = s.dst = s.diff_src = s.residual.sum = layout;
                const outputs expected = outputs_by(reference_entry, s);
                s.residual.in_place = true;
                expect_same(outputs_by(reference_entry, s), expected, s, "the reference in place");
                expect_same(outputs_by(jit_for(GetParam()), s), expected, s, "kernels in place");
                s.residual.in_place = false;
                s.in_place = true;
                expect_same(outputs_by(jit_for(GetParam()), s), expected, s, "diff_dst's place");
            }
}

TEST_P(residual_gradient, by_threads_and_late_sizes) {
    for (const char *layout : {"dense", "@ba"})
        for (const auto &[rows, C] : {std::pair<dim_t, dim_t>{100, 500}, {3, 9000}, {2, 200003}}) {
            setup s = backward_of(rows, C, jitnorm_bf16, jitnorm_f32);
            s.src = s.residual.sum = layout;
            expect_equal_for_threads(GetParam(), s, {1, 2, 3, 7});
            run late(s);
            late.execute_on(jit_for(GetParam()), sizes_come::at_execution);
            expect_same(outputs_of(late), outputs_by(reference_entry, s), s, "sizes at execution");
        }
}

// One more addition after all else, and nothing else differs.
TEST_P(residual_gradient, is_that_of_the_normalization_and_the_sums) {
    for (const implementation &entry : {reference_entry, jit_for(GetParam())}) {
        const setup s = backward_of(20, 100, jitnorm_f32, jitnorm_bf16);
        setup plain = s;
        plain.residual = {};
        outputs expected = outputs_by(entry, plain);
        const std::vector<double> added = run(s)[DIFF_SUM].values();
        for (size_t i = 0; i < added.size(); ++i)
            expected[DIFF_SRC][i] = double(float(expected[DIFF_SRC][i]) + float(added[i]));
        expect_same(outputs_by(entry, s), expected, s, entry.name);
    }
}

INSTANTIATE_TEST_SUITE_P(native, residual_gradient, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_residual_gradient, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
