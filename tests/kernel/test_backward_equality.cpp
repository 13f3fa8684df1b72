// SPDX-License-Identifier: Apache-2.0
// Generated backward kernels give the reference's bits: every flag, row lengths around every width, every number of
// threads.
#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;

// Every combination of flags, as backward and as backward-data.
std::vector<setup> every_kind() {
    std::vector<setup> kinds;
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (unsigned flags = 0; flags < 8; ++flags)
            for (const unsigned rms : {0U, unsigned(jitnorm_rms_norm)})
                kinds.push_back({.kind = kind, .flags = flags | rms});
    return kinds;
}

void sweep(isa vectors, const std::vector<setup> &kinds, std::span<const dim_t> lengths, std::span<const dim_t> rows) {
    for (const dim_t C : lengths)
        for (const dim_t n : rows)
            for (setup s : kinds) {
                s.dims = {n, C};
                s.side = (C + n) % 2 == 0 ? guard_side::before : guard_side::after;
                s.seed = unsigned(C * 16 + n);
                expect_equal_to_reference(vectors, s);
                if (testing::Test::HasFailure()) return;
            }
}

class backward_equality : public on_isa {};

// Around vectors, pairs of vectors and the two of an unrolled loop, for both instruction sets; blocks and chunks.
TEST_P(backward_equality, lengths) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 50; ++c) lengths.push_back(c);
    for (dim_t c : {63, 64, 65, 96, 127, 128, 511, 512, 513, 528, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 10007})
        lengths.push_back(c);
    constexpr dim_t rows[] = {1, 2, 3, 5};
    sweep(GetParam(),
          {{.kind = jitnorm_backward}, {.kind = jitnorm_backward, .flags = jitnorm_rms_norm | jitnorm_use_scale}},
          lengths, rows);
}

TEST_P(backward_equality, every_flag) {
    constexpr dim_t lengths[] = {1, 7, 16, 40, 77, 513, 4100}, rows[] = {1, 2, 7};
    sweep(GetParam(), every_kind(), lengths, rows);
}

TEST_P(backward_equality, doubles) {
    std::vector<setup> kinds = every_kind();
    for (setup &s : kinds) s.src_type = s.dst_type = s.diff_src_type = jitnorm_f64;
    constexpr dim_t lengths[] = {1, 3, 4, 5, 8, 9, 15, 16, 17, 24, 77, 513, 4100}, rows[] = {1, 2, 3};
    sweep(GetParam(), kinds, lengths, rows);
}

TEST_P(backward_equality, in_place) {
    for (const dim_t C : {1, 5, 64, 100, 768, 4097, 10007})
        for (const unsigned flags : {0U, SCALE_SHIFT, SCALE_SHIFT | jitnorm_use_global_stats})
            expect_equal_to_reference(GetParam(),
                                      {.kind = jitnorm_backward, .flags = flags, .dims = {5, C}, .in_place = true});
}

// Blocks, parts and runs of rows: more than one of each, whole or not.
TEST_P(backward_equality, row_counts) {
    for (const dim_t rows : {4, 15, 16, 17, 31, 32, 33, 511, 513, 2047, 2049, 5000})
        expect_equal_to_reference(GetParam(), {.kind = jitnorm_backward, .dims = {rows, 20}, .seed = unsigned(rows)});
    for (const dim_t rows : {31, 33, 100})
        expect_equal_to_reference(GetParam(), {.kind = jitnorm_backward, .dims = {rows, 5000}, .seed = unsigned(rows)});
}

struct shape {
    dim_t rows, columns;
};

// Tall and skinny, short and wide, one row, one column, per head; enough work for every thread.
TEST_P(backward_equality, threads) {
    const std::vector<int> counts = {1, 2, 3, 4, 7};
    for (const shape &of : {shape{200000, 1}, {30000, 11}, {8214, 64}, {3000, 80}, {700, 512}, {520, 768}, {130, 4097}})
        for (const unsigned flags : {unsigned(jitnorm_use_scale), SCALE_SHIFT | jitnorm_rms_norm})
            expect_equal_for_threads(GetParam(),
                                     {.kind = jitnorm_backward, .flags = flags, .dims = {of.rows, of.columns}}, counts);
}

// Fewer rows than threads, or rows that no L2 holds: threads take chunks.
TEST_P(backward_equality, chunks_shared_by_threads) {
    const std::vector<int> counts = {1, 2, 7};
    for (const shape &of : {shape{1, 1000000}, {1, 50000}, {3, 70000}, {9, 140001}})
        for (const unsigned flags :
             {0U, SCALE_SHIFT, SCALE_SHIFT | jitnorm_rms_norm, 7U, unsigned(jitnorm_use_global_stats)})
            expect_equal_for_threads(GetParam(),
                                     {.kind = jitnorm_backward, .flags = flags, .dims = {of.rows, of.columns}}, counts);
    expect_equal_for_threads(
        GetParam(), {.kind = jitnorm_backward_data, .flags = SCALE_SHIFT, .dims = {2, 140001}, .in_place = true},
        counts);
}

TEST_P(backward_equality, data_only_with_threads) {
    const std::vector<int> counts = {1, 2, 3, 4, 7};
    for (const shape &of : {shape{30000, 11}, {1025, 300}, {7, 40000}})
        expect_equal_for_threads(
            GetParam(), {.kind = jitnorm_backward_data, .flags = SCALE_SHIFT, .dims = {of.rows, of.columns}}, counts);
}

TEST_P(backward_equality, nothing_to_do) {
    for (const unsigned flags : {0U, SCALE_SHIFT})
        for (const shape &of : {shape{0, 40}, {40, 0}, {0, 0}})
            for (const auto type : {jitnorm_f32, jitnorm_bf16})
                expect_equal_to_reference(
                    GetParam(),
                    {.kind = jitnorm_backward, .flags = flags, .dims = {of.rows, of.columns}, .affine_type = type});
}

INSTANTIATE_TEST_SUITE_P(native, backward_equality, testing::Values(isa::avx2, isa::avx512), on_isa::name);

// A thinner choice for an emulated processor: tails and unrolls are what can break there.
class emulated_backward_equality : public on_isa {};

TEST_P(emulated_backward_equality, lengths) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 35; ++c) lengths.push_back(c);
    for (dim_t c : {48, 63, 512, 530, 4099}) lengths.push_back(c);
    constexpr dim_t rows[] = {3};
    sweep(GetParam(), {{.kind = jitnorm_backward}}, lengths, rows);
}

TEST_P(emulated_backward_equality, every_flag) {
    constexpr dim_t lengths[] = {21}, rows[] = {3};
    sweep(GetParam(), every_kind(), lengths, rows);
    std::vector<setup> kinds = every_kind();
    for (setup &s : kinds) s.src_type = s.dst_type = s.diff_src_type = jitnorm_f64;
    sweep(GetParam(), kinds, lengths, rows);
}

INSTANTIATE_TEST_SUITE_P(emulated, emulated_backward_equality, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
