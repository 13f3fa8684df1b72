// SPDX-License-Identifier: Apache-2.0
// Generated backward kernels give the reference's bits: every flag, type and layout, row lengths around every width,
// every number of rows and threads.
#include "support/sweep.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned GIVEN = jitnorm_use_global_stats, SCALE = jitnorm_use_scale, SHIFT = jitnorm_use_shift,
                   RMS = jitnorm_rms_norm, ROUND = jitnorm_round_normalized,
                   PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one;
constexpr auto BACKWARD = jitnorm_backward, BACKWARD_DATA = jitnorm_backward_data;
// Bochs 2.7 rounds a float halfway between two f16 up, not to the even one, and sums of a few narrow values often are.
const types EMULATED_GRADIENT_TYPES = {jitnorm_f32, jitnorm_bf16};

// Around vectors, pairs of vectors and the two of an unrolled loop, for both instruction sets; blocks and chunks.
const std::vector<dim_t> LENGTHS = lengths_up_to(
    50, {63, 64, 65, 77, 96, 127, 128, 511, 512, 513, 528, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 10007});

// Also in place where that may be.
void affine_types_in_turn(setup &s) {
    const auto pick = size_t(s.dims.back() + s.src_type + s.dst_type);
    s.affine_type = AFFINE_TYPES[pick % 3];
    s.in_place = s.dst_type == s.diff_src_type && s.dims.back() % 3 == 0;
}

std::vector<choices> in_every_type(const std::vector<dim_t> &lengths) {
    return {columns(lengths),
            each_of(&setup::src_type, FLOATING),
            each_of(&setup::dst_type, FLOATING),
            each_of(&setup::diff_src_type, FLOATING),
            {affine_types_in_turn}};
}

const choices LARGE_LAYOUTS =
    each_layouts({{{1100, 100}, "ba", "ab", "gap", "a"},
                  {{20, 50, 100}, "bac", "abc", "cba", "ba"},
                  {{20, 50, 100}, "aBc8b", "aBc16b", "abc", "aB8b"},
                  {{3, 64, 500}, "cba", "abc", "cba", "ba"}, // batches that do not divide row blocks
                  {{2, 60000}, "ba", "ab", "ba", "a"},
                  {{2, 140000}, "spread", "ba", "ab", "a"}});

const std::vector<sweep> SWEEPS = {
    {.name = "lengths_and_flags",
     .of = {.kind = BACKWARD},
     .each = {columns(LENGTHS), rows({1, 2, 3, 5, 37}), flags(every_flag())},
     .in_turn = {row_types({jitnorm_f32, jitnorm_f64}), kinds({BACKWARD, BACKWARD_DATA}),
                 each_of(&setup::in_place, {false, false, true})},
     .small_caches = true},
    {.name = "row_counts", // blocks, parts and runs of rows: more than one of each, whole or not
     .of = {.kind = BACKWARD, .dims = {0, 20}},
     .each = {rows({4, 15, 16, 17, 31, 32, 33, 511, 513, 2047, 2049, 5000})}},
    {.name = "counts_of_long_rows", .of = {.kind = BACKWARD, .dims = {0, 5000}}, .each = {rows({31, 33, 100})}},
    {.name = "threads", // tall and skinny, short and wide, one row, one column; enough work for every thread
     .of = {.kind = BACKWARD},
     .each = {dims(
                  {{200000, 1}, {30000, 11}, {8214, 64}, {3000, 80}, {1025, 300}, {700, 512}, {520, 768}, {130, 4097}}),
              flags({SCALE, SCALE | SHIFT | RMS})},
     .in_turn = {kinds({BACKWARD, BACKWARD, BACKWARD_DATA})},
     .threads = {1, 2, 3, 4, 7}},
    {.name = "chunks_shared_by_threads", // fewer rows than threads, or rows that no L2 holds
     .of = {.kind = BACKWARD},
     .each = {dims({{1, 1000000}, {1, 50000}, {3, 70000}, {7, 40000}, {9, 140001}}),
              flags({0, SCALE | SHIFT, SCALE | SHIFT | RMS, SCALE | SHIFT | GIVEN, GIVEN})},
     .in_turn = {kinds({BACKWARD, BACKWARD_DATA})},
     .threads = {1, 2, 7}},
    {.name = "chunks_in_place",
     .of = {.kind = BACKWARD_DATA, .dims = {2, 140001}, .in_place = true},
     .threads = {1, 2, 7}},
    {.name = "only_gradients_on_threads",
     .of = {.kind = BACKWARD, .omitted = bit_of(DIFF_SRC)},
     .each = {dims({{0, 20}, {3000, 20}, {2, 60000}}), each_of(&setup::src, {"dense", "ba"})},
     .threads = {1, 3}},
    {.name = "nothing_to_do",
     .of = {.kind = BACKWARD},
     .each = {dims({{0, 40}, {40, 0}, {0, 0}}), flags({0, SCALE | SHIFT}),
              each_of(&setup::affine_type, {jitnorm_f32, jitnorm_bf16})}},
    {.name = "types",
     .of = {.kind = BACKWARD, .dims = {13, 0}, .seed = 0},
     .each = in_every_type({1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 23, 31, 33, 47, 64, 77, 513, 4099}),
     .in_turn = {each_of(&setup::gradient_type, AFFINE_TYPES),
                 flags({SCALE | SHIFT, 0, GIVEN, SCALE | GIVEN, SHIFT, RMS, RMS | SCALE, PLUS_ONE})},
     .small_caches = true},
    {.name = "rounded_values",
     .of = {.kind = BACKWARD, .dims = {7, 0}},
     .each = {columns({1, 3, 8, 15, 16, 21, 33, 77, 513, 4099}), each_of(&setup::src_type, FLOATING),
              each_of(&setup::dst_type, FLOATING), each_of(&setup::affine_type, AFFINE_TYPES)},
     .in_turn = {flags(
         {ROUND | SCALE, ROUND | SCALE | SHIFT, ROUND | SCALE | RMS, ROUND | PLUS_ONE | SHIFT | GIVEN, ROUND | SHIFT})},
     .small_caches = true},
    {.name = "scale_and_gradients_in_double", // for data in f64: dense, in tiles, in several row blocks
     .of = {.kind = BACKWARD, .src_type = jitnorm_f64, .diff_src_type = jitnorm_f64, .gradient_type = jitnorm_f64},
     .each = {each_of(&setup::src, {"dense", "ba"}), columns({1, 3, 8, 21, 600, 5000}), rows({1, 5, 37}),
              each_of(&setup::affine_type, {jitnorm_f64, jitnorm_f32})},
     .in_turn = {each_of(&setup::dst_type, {jitnorm_f64, jitnorm_f32})}},
    {.name = "layouts",
     .each = {all_layouts(), kinds({BACKWARD, BACKWARD_DATA}), row_types({jitnorm_f32, jitnorm_bf16, jitnorm_f64}),
              each_of(&setup::side, {guard_side::after, guard_side::before})},
     .in_turn = {flags(every_flag())}},
    {.name = "bands_with_gaps",
     .of = {.kind = BACKWARD, .dims = {67, 0}},
     .each = {columns({15, 192, 207, 513, 1499, 4096}), row_types(FLOATING), row_layouts({"dense", "gap"}),
              each_of(&setup::form, {statistics_form::variance, statistics_form::inverse_deviation})},
     .in_turn = {kinds({BACKWARD, BACKWARD_DATA}), flags({0, SCALE | SHIFT, RMS | SCALE}),
                 each_of(&setup::in_place, {false, false, true})},
     .small_caches = true},
    {.name = "large_layouts_on_threads",
     .each = {LARGE_LAYOUTS, kinds({BACKWARD, BACKWARD_DATA})},
     .threads = {1, 2, 3, 7}},
};

// Backward of some rows of a larger problem: the sums of their parts, whichever way through rows is taken.
const std::vector<sweep> PARTIAL = {
    {.name = "anywhere_among_parts", // blocks of 32 rows; 4097 rows are parts of three
     .of = {.kind = BACKWARD, .all_rows = 4097},
     .each = {each_of(&setup::first_row, {0, 32, 64, 96}), rows({0, 1, 32, 64, 96, 101, 224, 300}),
              columns({1, 16, 70})},
     .threads = {1, 3},
     .small_caches = true},
    {.name = "types_and_flags",
     .of = {.kind = BACKWARD, .dims = {100, 33}, .first_row = 64, .all_rows = 5000},
     .each = {row_types(FLOATING), flags({0, SCALE, SHIFT, SCALE | SHIFT, SCALE | SHIFT | GIVEN, RMS | SCALE})},
     .threads = {1, 3},
     .small_caches = true},
    {.name = "layouts",
     .of = {.kind = BACKWARD, .first_row = 64, .all_rows = 70000},
     .each = {each_layouts({{{104, 40}, "ba", "ba", "dense", "a"},
                            {{104, 40}, "gap", "ba", "dense", "a"},
                            {{104, 40}, "spread", "ba", "dense", "a"},
                            {{104, 40}, "AB8b8a", "ba", "dense", "a"},
                            {{5, 64, 24}, "acb", "acb", "acb", "ab"},
                            {{70, 9, 16}, "bac", "bac", "abc", "ab"},
                            {{40, 4100}, "ba", "ab", "ab", "a"}})},
     .threads = {1, 3},
     .small_caches = true},
    {.name = "long_rows", // whose chunks threads share: blocks of 4 rows, parts of one or more
     .of = {.kind = BACKWARD, .first_row = 8, .all_rows = 17},
     .each = {columns({5000, 140000}), rows({4, 9})},
     .threads = {1, 3},
     .small_caches = true},
    {.name = "in_place_and_without_diff_src",
     .of = {.kind = BACKWARD, .dims = {65, 48}, .first_row = 96, .all_rows = 4097},
     .each = {{[](setup &s) { s.in_place = true; }, [](setup &s) { s.omitted = bit_of(DIFF_SRC); }}},
     .threads = {1, 3},
     .small_caches = true},
};

const std::vector<sweep> EMULATED = {
    {.name = "lengths",
     .of = {.kind = BACKWARD, .dims = {3, 0}},
     .each = {columns(lengths_up_to(35, {48, 63, 512, 530, 4099}))}},
    {.name = "every_flag",
     .of = {.dims = {3, 21}},
     .each = {flags(every_flag()), kinds({BACKWARD, BACKWARD_DATA}), row_types({jitnorm_f32, jitnorm_f64})}},
    {.name = "types",
     .of = {.kind = BACKWARD, .dims = {2, 0}, .seed = 0},
     .each = in_every_type({13, 37}),
     .in_turn = {each_of(&setup::gradient_type, EMULATED_GRADIENT_TYPES)}},
    {.name = "rounded_values",
     .of = {.kind = BACKWARD, .dims = {5, 0}, .src_type = jitnorm_bf16},
     .each = {columns({5, 21, 37}), each_of(&setup::dst_type, {jitnorm_f32, jitnorm_bf16, jitnorm_f64}),
              each_of(&setup::affine_type, {jitnorm_f32, jitnorm_bf16}),
              flags({ROUND | SCALE | SHIFT, ROUND | SCALE | RMS})}},
    {.name = "both_passes_in_a_kernel",
     .of = {.kind = BACKWARD, .dims = {37, 0}, .src_type = jitnorm_bf16},
     .each = {columns({5, 37, 256, 530}), flags({SCALE | SHIFT, RMS | SCALE})},
     .small_caches = true},
};

class backward_kernels : public equality_in_sweeps {};
TEST_P(backward_kernels, equal_the_reference) { expect_equal(); }
INSTANTIATE_TEST_SUITE_P(native, backward_kernels, native(SWEEPS), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(partial, backward_kernels, native(PARTIAL), name_of_sweep);
INSTANTIATE_TEST_SUITE_P(emulated, backward_kernels, emulated(EMULATED), name_of_sweep);

} // namespace
} // namespace jitnorm::tests
