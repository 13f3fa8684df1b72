// SPDX-License-Identifier: Apache-2.0
// Every data type of every tensor of backward: kernels give the reference's bits.
#include <span>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64};
constexpr jitnorm_data_type_t AFFINE_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

using types = std::span<const jitnorm_data_type_t>;

// Bochs 2.7 rounds a float halfway between two f16 up, not to the even one, and sums of a few narrow values often are.
constexpr types EMULATED_GRADIENT_TYPES(AFFINE_TYPES, 2);

void sweep_data_types(isa vectors, const std::vector<dim_t> &lengths, dim_t rows, types gradients) {
    for (const dim_t C : lengths)
        for (const auto src : DATA_TYPES)
            for (const auto diff_dst : DATA_TYPES)
                for (const auto diff_src : DATA_TYPES) {
                    const auto pick = size_t(C + src + diff_dst);
                    expect_equal_to_reference(vectors, {.kind = jitnorm_backward,
                                                        .dims = {rows, C},
                                                        .src_type = src,
                                                        .dst_type = diff_dst,
                                                        .diff_src_type = diff_src,
                                                        .affine_type = AFFINE_TYPES[pick % 3],
                                                        .gradient_type = gradients[pick % gradients.size()],
                                                        .in_place = diff_dst == diff_src && C % 3 == 0,
                                                        .side = C % 2 == 0 ? guard_side::before : guard_side::after,
                                                        .seed = unsigned(C)});
                    if (testing::Test::HasFailure()) return;
                }
}

void sweep_affine_types(isa vectors, const std::vector<dim_t> &lengths, types gradients) {
    for (const dim_t C : lengths)
        for (const auto data : DATA_TYPES)
            for (const auto affine : AFFINE_TYPES)
                for (const auto gradient : gradients)
                    expect_equal_to_reference(vectors, {.kind = jitnorm_backward,
                                                        .dims = {5, C},
                                                        .src_type = data,
                                                        .dst_type = data,
                                                        .diff_src_type = data,
                                                        .affine_type = affine,
                                                        .gradient_type = gradient,
                                                        .seed = unsigned(C)});
}

class backward_types : public on_isa {};
class emulated_backward_types : public on_isa {};

TEST_P(backward_types, every_triple_of_data) {
    sweep_data_types(GetParam(), {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 23, 31, 33, 47, 64, 77, 513, 4099}, 3,
                     AFFINE_TYPES);
}
TEST_P(backward_types, every_triple_of_scale_and_gradients) {
    sweep_affine_types(GetParam(), {1, 3, 6, 8, 12, 15, 16, 21, 31, 50, 600}, AFFINE_TYPES);
}
TEST_P(emulated_backward_types, every_triple_of_data) {
    sweep_data_types(GetParam(), {13, 37}, 2, EMULATED_GRADIENT_TYPES);
}
TEST_P(emulated_backward_types, every_triple_of_scale_and_gradients) {
    sweep_affine_types(GetParam(), {21}, EMULATED_GRADIENT_TYPES);
}

// Scale and its gradient in f64, for data in f64: dense, in tiles, in several row blocks.
TEST_P(backward_types, scale_and_gradients_in_double) {
    for (const char *layout : {"dense", "ba"})
        for (const dim_t C : {1, 3, 8, 21, 600, 5000})
            for (const dim_t rows : {1, 5, 37})
                for (const auto affine : {jitnorm_f64, jitnorm_f32})
                    expect_equal_to_reference(GetParam(), {.kind = jitnorm_backward,
                                                           .dims = {rows, C},
                                                           .src = layout,
                                                           .src_type = jitnorm_f64,
                                                           .dst_type = C % 2 == 0 ? jitnorm_f64 : jitnorm_f32,
                                                           .diff_src_type = jitnorm_f64,
                                                           .affine_type = affine,
                                                           .gradient_type = jitnorm_f64});
}

// Without a gradient of scale, without scale, without a mean: other code for the same types.
TEST_P(backward_types, every_flag) {
    for (const unsigned flags : {0U, 1U, 3U, 4U, unsigned(jitnorm_rms_norm), jitnorm_rms_norm | 2U})
        for (const auto type : DATA_TYPES)
            for (const dim_t C : {5, 48, 100})
                expect_equal_to_reference(GetParam(), {.kind = jitnorm_backward,
                                                       .flags = flags,
                                                       .dims = {4, C},
                                                       .src_type = type,
                                                       .dst_type = type,
                                                       .diff_src_type = type});
}

INSTANTIATE_TEST_SUITE_P(native, backward_types, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_backward_types, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
