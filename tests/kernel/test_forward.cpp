// SPDX-License-Identifier: Apache-2.0
// Generated forward kernels give the reference's bits: every flag, type and layout, row lengths around every width,
// every number of threads.
#include <bit>
#include <cstring>
#include <numeric>

#include "support/dynamic_scales.hpp"
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned GIVEN = jitnorm_use_global_stats, SCALE = jitnorm_use_scale, SHIFT = jitnorm_use_shift,
                   RMS = jitnorm_rms_norm, ROUND = jitnorm_round_normalized,
                   PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one;
constexpr auto TRAINING = jitnorm_forward_training, INFERENCE = jitnorm_forward_inference;
const types DST_TYPES = {jitnorm_f32, jitnorm_bf16, jitnorm_f16,     jitnorm_f64,
                         jitnorm_s8,  jitnorm_u8,   jitnorm_f8_e5m2, jitnorm_f8_e4m3};

// Every length up to four vectors of AVX-512 and their double, then around blocks, chunks and common sizes.
const std::vector<dim_t> LENGTHS =
    lengths_up_to(130, {255, 256, 257, 511, 512, 513, 767, 768, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 10007});
const std::vector<dim_t> FEW_LENGTHS = lengths_up_to(70, {127, 128, 129, 511, 513, 1000, 4096, 4099});

// Enough that every one of four threads gets some, and more rows than one batch.
const choices MANY_ROWS = each_value<dim_t>(
    {0, 1, 5}, [](setup &s, dim_t extra) { s.dims.front() = std::max<dim_t>(4, 37500 / s.dims.back()) + extra; });

void scale_every_second(setup &s) {
    s.attr.src_scale = s.attr.dst_scale = (s.dims.back() + s.src_type + s.dst_type) % 2 == 0;
}

std::vector<choices> in_every_type(const std::vector<dim_t> &lengths) {
    return {columns(lengths),
            each_of(&setup::src_type, ROW_TYPES),
            each_of(&setup::dst_type, DST_TYPES),
            each_of(&setup::affine_type, AFFINE_TYPES),
            {scale_every_second}};
}

const std::vector<sweep> SWEEPS = {
    {.name = "lengths_and_flags",
     .of = {.mean = 3},
     .each = {columns(LENGTHS), rows({1, 2, 3, 4, 5, 6, 7, 8, 9, 37}), flags(every_flag())},
     .in_turn = {kinds({TRAINING, INFERENCE}), each_of(&setup::in_place, {false, true})},
     .small_caches = true},
    {.name = "row_counts", // around eights and bands
     .each = {columns({5, 64, 200, 700, 1100}),
              rows({11, 12, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 97}),
              flags({0, SCALE | SHIFT, RMS | SCALE}),
              {leave, add_residual}},
     .small_caches = true},
    {.name = "threads",
     .each = {columns({1, 16, 63, 130, 768, 1025, 4097, 10007}), MANY_ROWS},
     .threads = {1, 2, 3, 4}},
    {.name = "long_rows_shared_by_threads", // fewer rows than threads, a seventh thread included
     .each = {flags({SCALE | SHIFT, RMS, GIVEN | SHIFT}), rows({1, 2, 3}), columns({50000, 200001, 333333})},
     .threads = {1, 2, 3, 4, 7}},
    {.name = "only_statistics_of_long_rows",
     .of = {.dims = {2, 50000}, .omitted = bit_of(DST)},
     .each = {flags({0, RMS})},
     .threads = {1, 4}},
    {.name = "types",
     .of = {.dims = {37, 0}, .mean = 20, .deviation = 30, .seed = 1000},
     .each = in_every_type(FEW_LENGTHS),
     .in_turn = {flags({SCALE | SHIFT, 0, SCALE, SHIFT, RMS, RMS | SCALE, PLUS_ONE, PLUS_ONE | SHIFT}),
                 rows({37, 37, 1, 9})}, // the latter are single batches
     .small_caches = true,
     .prepare = use_the_range},
    {.name = "rounded_values",
     .of = {.dims = {5, 0}, .mean = 20, .deviation = 30},
     .each = in_every_type({1, 3, 7, 8, 15, 16, 21, 33, 64, 77, 513, 4099}),
     .in_turn = {flags({ROUND | SCALE, ROUND, ROUND | SCALE | SHIFT, ROUND | SHIFT, ROUND | SCALE | RMS,
                        ROUND | PLUS_ONE | GIVEN, ROUND | RMS})},
     .small_caches = true,
     .prepare = use_the_range},
    {.name = "layouts",
     .each = {all_layouts(), kinds({TRAINING, INFERENCE}), row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f64}),
              each_of(&setup::side, {guard_side::after, guard_side::before})},
     .in_turn = {flags(every_flag())}},
    {.name = "gaps_and_statistics", // of whole bands
     .of = {.dims = {67, 0}},
     .each = {columns({16, 61, 192, 207, 512, 3072}), row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f16}),
              row_layouts({"gap", "dense+7"}), each_of(&setup::statistics, {"dense", "gap"}),
              each_of(&setup::form, {statistics_form::variance, statistics_form::inverse_deviation})},
     .in_turn = {each_of(&setup::statistics_type, {jitnorm_f32, jitnorm_bf16}), flags({SCALE | SHIFT, RMS | SCALE})},
     .small_caches = true},
    {.name = "bands_in_tiles",
     .of = {.dims = {41, 0}, .src = "@ba"},
     .each = {columns({5, 48, 64, 100, 700, 4096}),
              each_of(&setup::dst, {"@ba", "dense"}),
              flags({0, SCALE | SHIFT, RMS | SCALE}),
              {leave, add_residual}},
     .small_caches = true},
    {.name = "long_rows_in_batches",
     .of = {.dims = {7, 0}, .dst = "dense+7"},
     .each = {columns({1024, 4096, 4097, 8257}), flags({SCALE | SHIFT, RMS | SCALE, SCALE | SHIFT | GIVEN}),
              each_of(&setup::src_type, {jitnorm_f32, jitnorm_bf16, jitnorm_f64}),
              each_of(&setup::dst_type, {jitnorm_f32, jitnorm_f16, jitnorm_s8})},
     .in_turn = {each_of(&setup::src, {"dense", "gap"}), {leave, add_residual}},
     .machines = {prefetching_to_l2(1 << 18, 1 << 12)}},
    {.name = "rows_that_overlap_in_src", .of = {.dims = {6, 20}, .src = "0,1"}, .each = {flags(every_flag())}},
    {.name = "packed_in_place_on_threads",
     .of = {.dims = {300, 500}, .src = "ba", .dst = "ba", .in_place = true},
     .threads = {1, 2, 3, 4, 7}},
    {.name = "no_rows_or_no_columns", .each = {dims({{0, 64}, {5, 0}, {0, 0}}), flags({0, SCALE | SHIFT})}},
    {.name = "statistics_of_no_columns",
     .each = {each_layouts({{{3, 0}, "dense", "dense", "dense", "dense"},
                            {{7, 0}, "ba", "ba", "ba", "gap+7"},
                            {{3, 5, 0}, "cba", "bac", "cba", "ba"},
                            {{3, 5, 0}, "aBc8b", "abc", "aBC8b8c", "aB8b"},
                            {{3, 5, 4, 0}, "spread", "dense", "dense", "spread"}}),
              flags({0, SCALE | SHIFT, RMS}), row_types({jitnorm_f32, jitnorm_f64}),
              each_of(&setup::statistics_type, AFFINE_TYPES),
              each_of(&setup::form, {statistics_form::variance, statistics_form::inverse_deviation}),
              each_of(&setup::omitted, {0, bit_of(MEAN), bit_of(VARIANCE)})}},
    {.name = "short_rows_of_every_type", // whole groups of rows and an incomplete one
     .of = {.mean = 20, .deviation = 30},
     .each = {columns(lengths_up_to(33, {39, 40, 48, 56, 63, 64, 79, 80, 96, 112, 127, 128, 129})), rows({8, 43}),
              row_types(ROW_TYPES), flags({SCALE | SHIFT, RMS})}},
    {.name = "short_rows_with_gaps", // further than they are long
     .each = {columns({1, 3, 7, 16, 31, 64, 100, 128}),
              rows({43}),
              {[](setup &s) { s.src = s.dst = std::to_string(s.dims.back() + 1) + ",1"; },
               [](setup &s) { s.src = s.dst = std::to_string(s.dims.back() + 5) + ",1"; },
               [](setup &s) { s.src = s.dst = std::to_string(s.dims.back() + 1024) + ",1"; }}}},
};

// Every length, since tails and unrolls are what can break there, but few rows (one, a pair and one left over) and the
// flags that change code. The seed of the types is one of which no result lies halfway between two f16: there the
// emulator rounds otherwise.
const std::vector<sweep> EMULATED = {
    {.name = "lengths",
     .of = {.mean = 3},
     .each = {columns(LENGTHS), rows({1, 3}), flags({0, SCALE | SHIFT, SCALE | RMS, SHIFT | GIVEN})}},
    {.name = "rows", .each = {columns({17, 4097}), rows({1, 2, 3, 4, 5, 6, 7, 8, 9})}},
    {.name = "types",
     .of = {.dims = {3, 0}, .mean = 20, .deviation = 30, .seed = 1000},
     .each = in_every_type({1, 3, 8, 15, 16, 17, 31, 33, 64, 77}),
     .prepare = use_the_range},
    {.name = "rounded_values",
     .of = {.dims = {3, 0}, .src_type = jitnorm_bf16, .mean = 20, .deviation = 30},
     .each = {columns({5, 37, 256}), each_of(&setup::dst_type, {jitnorm_f32, jitnorm_bf16, jitnorm_f64, jitnorm_s8}),
              each_of(&setup::affine_type, {jitnorm_f32, jitnorm_bf16}),
              flags({ROUND | SCALE | SHIFT, ROUND | SCALE | RMS})},
     .prepare = use_the_range},
    {.name = "small_caches",
     .of = {.dims = {37, 0}, .src_type = jitnorm_bf16, .dst_type = jitnorm_f32},
     .each = {columns({5, 37, 256, 530}), flags({SCALE | SHIFT, RMS})},
     .small_caches = true},
};

class forward_kernels : public equality_in_sweeps {};
TEST_P(forward_kernels, equal_the_reference) { expect_equal(); }
INSTANTIATE_TEST_SUITE_P(native, forward_kernels, native(SWEEPS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(emulated, forward_kernels, emulated(EMULATED), name_of_sweep);

class forward_kernels_on : public on_isa {};

// Threads do not share rows if a user's scratchpad for all sizes has no room for it.
TEST_P(forward_kernels_on, rows_not_shared_for_want_of_a_scratchpad) {
    const thread_count four(4);
    const setup s{.dims = {2, 200001}};
    const implementation &entry = jit_for(GetParam());
    run r(s);
    plan how = plan_of(entry, r.p);
    ASSERT_TRUE(how.may_go_by_chunks(4));
    ASSERT_GT(how.scratchpad.bytes(), 0U);
    how.give_up_chunks();
    EXPECT_EQ(how.scratchpad.bytes(), 0U);
    r.execute_on(*create(entry, with_runtime_sizes(r.p)), 0, &how);
    expect_same(outputs_of(r), outputs_by(reference_entry, s), s, entry.name);
}

// Rounding of values that overflow, underflow, tie, or are no numbers, in every output type: given statistics that
// change nothing let every pattern through.
TEST_P(forward_kernels_on, special_values_are_stored_as_defined) {
    std::vector<double> src;
    for (uint32_t high = 0; high < 0x10000; ++high)
        for (uint32_t low : {0x0000U, 0x0001U, 0x1000U, 0x3000U, 0x7fffU, 0x8000U, 0x8001U, 0xf000U})
            src.push_back(double(std::bit_cast<float>(high << 16 | low)));
    for (const auto type : DST_TYPES)
        expect_equal_to_reference(
            GetParam(), {.kind = INFERENCE, .flags = GIVEN, .dims = {dim_t(src.size()) / 1024, 1024}, .dst_type = type},
            holding(src));
}

// Normalized values of every magnitude are rounded as the reference rounds them, also those that the type does not
// hold.
TEST_P(forward_kernels_on, special_values_are_rounded_as_defined) {
    std::vector<uint16_t> codes(0x10000);
    std::iota(codes.begin(), codes.end(), uint16_t(0));
    for (const auto type : {jitnorm_bf16, jitnorm_f16})
        for (const auto dst : {jitnorm_f32, jitnorm_f64, type})
            for (const double variance : {1.0, 0.3, 7e5, 3e-6}) {
                const setup s = {.kind = INFERENCE,
                                 .flags = GIVEN | ROUND | SCALE,
                                 .dims = {dim_t(codes.size()) / 1024, 1024},
                                 .src_type = type,
                                 .dst_type = dst};
                expect_equal_to_reference(GetParam(), s, [&](run &r) {
                    holding({}, variance)(r);
                    std::memcpy(r[SRC].data(), codes.data(), codes.size() * sizeof(uint16_t));
                });
            }
}

INSTANTIATE_TEST_SUITE_P(native, forward_kernels_on, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
