// SPDX-License-Identifier: Apache-2.0
// Every data type of src, dst, scale and shift, with the attribute scales: kernels give the reference's bits.
#include <bit>
#include <cstring>
#include <span>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t DATA_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,
                                              jitnorm_f64, jitnorm_s8,   jitnorm_u8};
// dst's alone.
constexpr jitnorm_data_type_t F8_TYPES[] = {jitnorm_f8_e5m2, jitnorm_f8_e4m3};
constexpr jitnorm_data_type_t SCALE_SHIFT_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};

// Values all over the range of integers. The seed is one of which no result of the emulated cases lies halfway between
// two f16: there the emulator rounds otherwise.
setup setup_of(jitnorm_data_type_t src, jitnorm_data_type_t dst, const std::vector<dim_t> &dims) {
    return {.dims = dims,
            .src_type = src,
            .dst_type = dst,
            .side = dims.back() % 2 == 0 ? guard_side::before : guard_side::after,
            .mean = 20,
            .deviation = 30,
            .seed = 1000 + unsigned(dims.back())};
}

void use_the_range(run &r) {
    if (r[SRC_SCALE].exists()) r[SRC_SCALE].fill({0.7});
    if (r[DST_SCALE].exists()) r[DST_SCALE].fill({0.03});
}

std::vector<jitnorm_data_type_t> dst_types() {
    std::vector<jitnorm_data_type_t> types(std::begin(DATA_TYPES), std::end(DATA_TYPES));
    types.insert(types.end(), std::begin(F8_TYPES), std::end(F8_TYPES));
    return types;
}

void sweep_types(isa vectors, std::span<const dim_t> lengths) {
    for (dim_t C : lengths)
        for (auto src_type : DATA_TYPES)
            for (auto dst_type : dst_types())
                for (auto scale_type : SCALE_SHIFT_TYPES) {
                    setup s = setup_of(src_type, dst_type, {3, C});
                    s.affine_type = scale_type;
                    s.attr.src_scale = s.attr.dst_scale = (C + src_type + dst_type) % 2 == 0;
                    expect_equal_to_reference(vectors, s, use_the_range);
                    if (testing::Test::HasFailure()) return;
                }
}

class forward_types : public on_isa {};
class emulated_forward_types : public on_isa {};

TEST_P(forward_types, every_triple) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 70; ++c) lengths.push_back(c);
    for (dim_t c : {127, 128, 129, 511, 513, 1000, 4096, 4099}) lengths.push_back(c);
    sweep_types(GetParam(), lengths);
}

TEST_P(forward_types, scale_and_shift_in_double) {
    for (const dim_t C : {1, 2, 3, 4, 7, 8, 9, 16, 21, 64, 600, 4099})
        for (const auto dst : {jitnorm_f64, jitnorm_f32, jitnorm_bf16}) {
            setup s = setup_of(jitnorm_f64, dst, {3, C});
            s.affine_type = jitnorm_f64;
            expect_equal_to_reference(GetParam(), s);
        }
}

TEST_P(emulated_forward_types, every_triple) {
    constexpr dim_t lengths[] = {1, 3, 8, 15, 16, 17, 31, 33, 64, 77};
    sweep_types(GetParam(), lengths);
}

TEST_P(forward_types, every_flag) {
    for (unsigned flags : {0U, unsigned(jitnorm_use_scale), unsigned(jitnorm_use_shift), unsigned(jitnorm_rms_norm),
                           unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (auto type : DATA_TYPES)
            for (dim_t C : {5, 48, 100}) {
                setup s = setup_of(type, type, {4, C});
                s.flags = flags;
                expect_equal_to_reference(GetParam(), s);
            }
}

// Rounding of values that overflow, underflow, tie, or are no numbers, in every output type: given statistics that
// change nothing (mean 0, variance 1, epsilon 0) let every pattern through.
TEST_P(forward_types, special_values_are_stored_as_defined) {
    std::vector<float> src;
    for (uint32_t high = 0; high < 0x10000; ++high)
        for (uint32_t low : {0x0000U, 0x0001U, 0x1000U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xf000U})
            src.push_back(std::bit_cast<float>(high << 16 | low));
    const dim_t C = 1024, rows = dim_t(src.size()) / C;
    for (auto type : dst_types())
        expect_equal_to_reference(
            GetParam(),
            {.kind = jitnorm_forward_inference, .flags = jitnorm_use_global_stats, .dims = {rows, C}, .dst_type = type},
            [&](run &r) {
                r.p.epsilon = 0;
                std::memcpy(r[SRC].data(), src.data(), src.size() * sizeof(float));
                r[MEAN].fill(std::vector<double>(size_t(rows), 0));
                r[VARIANCE].fill(std::vector<double>(size_t(rows), 1));
            });
}

INSTANTIATE_TEST_SUITE_P(native, forward_types, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_types, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
