// SPDX-License-Identifier: Apache-2.0
// Weights that are stored minus one: kernels give the reference's bits, and both those of weights that are stored whole
// where the addition is exact.
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one;
constexpr unsigned FLAGS[] = {PLUS_ONE, PLUS_ONE | jitnorm_rms_norm, PLUS_ONE | jitnorm_use_shift,
                              PLUS_ONE | jitnorm_use_global_stats | jitnorm_use_shift};
constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_data_type_t AFFINE_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
constexpr jitnorm_prop_kind_t KINDS[] = {jitnorm_forward_training, jitnorm_backward, jitnorm_backward_data};

setup setup_of(jitnorm_prop_kind_t kind, unsigned flags, const std::vector<dim_t> &dims) {
    return {.kind = kind, .flags = flags, .dims = dims, .seed = unsigned(dims.back())};
}

setup of_type(setup s, jitnorm_data_type_t data, jitnorm_data_type_t affine) {
    s.src_type = s.dst_type = s.diff_src_type = data;
    s.affine_type = affine;
    return s;
}

class scale_plus_one : public on_isa {};

TEST_P(scale_plus_one, lengths) {
    std::vector<dim_t> lengths;
    for (dim_t C = 1; C <= 70; ++C) lengths.push_back(C);
    for (dim_t C : {127, 512, 1000, 4096, 4097, 10007}) lengths.push_back(C);
    for (const auto kind : KINDS)
        for (const dim_t C : lengths)
            for (const unsigned flags : FLAGS) {
                expect_equal_to_reference(GetParam(), setup_of(kind, flags, {5, C}));
                if (HasFailure()) return;
            }
}

TEST_P(scale_plus_one, types) {
    for (const auto kind : KINDS)
        for (const auto data : DATA_TYPES)
            for (const auto affine : AFFINE_TYPES)
                for (const dim_t C : {3, 16, 37, 100, 257})
                    for (const unsigned flags : FLAGS) {
                        expect_equal_to_reference(GetParam(), of_type(setup_of(kind, flags, {7, C}), data, affine));
                        if (HasFailure()) return;
                    }
}

TEST_P(scale_plus_one, layouts) {
    for (const auto kind : KINDS)
        for (const char *layout : {"ba", "aB8b", "gap"}) {
            setup s = setup_of(kind, PLUS_ONE, {40, 70});
            s.src = s.dst = s.diff_src = layout;
            expect_equal_to_reference(GetParam(), s);
        }
}

// Where one plus the weight is a number of the weights' type, it might as well have been stored.
TEST_P(scale_plus_one, is_what_whole_weights_give) {
    for (const auto kind : KINDS)
        for (const auto data : DATA_TYPES)
            for (const auto affine : AFFINE_TYPES)
                for (const implementation *by : {&jit_for(GetParam()), &reference_entry}) {
                    const auto with_weights = [&](double added) {
                        return [added](run &r) {
                            std::vector<double> weights(size_t(r.p.row_length()));
                            for (size_t c = 0; c < weights.size(); ++c) weights[c] = added + double(c % 16) / 16 - 0.5;
                            r[SCALE].fill(weights);
                        };
                    };
                    setup s = of_type(setup_of(kind, PLUS_ONE | jitnorm_use_shift, {6, 100}), data, affine);
                    const outputs got = outputs_by(*by, s, with_weights(0));
                    s.flags &= ~unsigned(jitnorm_scale_plus_one);
                    expect_same(got, outputs_by(*by, s, with_weights(1)), s, by->name);
                }
}

INSTANTIATE_TEST_SUITE_P(native, scale_plus_one, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
