// SPDX-License-Identifier: Apache-2.0
// Generated forward kernels give the reference's bits: every flag, row lengths around every width, every thread count.
#include <span>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned ALL_FLAGS = jitnorm_use_global_stats | jitnorm_use_scale | jitnorm_use_shift | jitnorm_rms_norm;

std::vector<unsigned> every_flag_combination() {
    std::vector<unsigned> combinations;
    for (unsigned flags = 0; flags <= ALL_FLAGS; ++flags)
        if ((flags & ~ALL_FLAGS) == 0) combinations.push_back(flags);
    return combinations;
}

// Every length up to four vectors of AVX-512 and their double, then around blocks, chunks and common sizes.
std::vector<dim_t> row_lengths() {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 130; ++c) lengths.push_back(c);
    for (dim_t c : {255, 256, 257, 511, 512, 513, 767, 768, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 10007})
        lengths.push_back(c);
    return lengths;
}

void sweep_shapes(isa vectors, std::span<const unsigned> flags, std::span<const dim_t> rows) {
    for (dim_t C : row_lengths())
        for (dim_t n : rows)
            for (unsigned f : flags) {
                const guard_side side = C % 2 == 0 ? guard_side::before : guard_side::after;
                expect_equal_to_reference(
                    vectors, {.flags = f, .dims = {n, C}, .side = side, .mean = 3, .seed = unsigned(C * 16 + n)});
                if (testing::Test::HasFailure()) return;
            }
}

class forward_equality : public on_isa {};

TEST_P(forward_equality, all_flags_and_lengths) {
    constexpr dim_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    sweep_shapes(GetParam(), every_flag_combination(), rows);
}

TEST_P(forward_equality, inference) {
    for (unsigned flags : every_flag_combination())
        for (dim_t C : {1, 7, 64, 130, 1000, 5000})
            expect_equal_to_reference(GetParam(), {.kind = jitnorm_forward_inference, .flags = flags, .dims = {3, C}});
}

TEST_P(forward_equality, in_place) {
    for (dim_t C : {1, 5, 64, 100, 768, 4097})
        expect_equal_to_reference(GetParam(), {.dims = {5, C}, .in_place = true});
}

// Enough work that every one of four threads gets some, and more rows than one batch.
TEST_P(forward_equality, threads) {
    for (dim_t C : {1, 16, 63, 130, 768, 1025, 4097, 10007})
        for (dim_t extra : {0, 1, 5})
            expect_equal_for_threads(GetParam(), {.dims = {std::max<dim_t>(4, 300000 / (8 * C)) + extra, C}},
                                     {1, 2, 3, 4});
}

// Fewer rows than threads: the chunks of long rows are shared, a seventh thread included.
TEST_P(forward_equality, rows_shared_by_threads) {
    for (unsigned flags : {6U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_use_global_stats | jitnorm_use_shift)})
        for (dim_t rows : {1, 2, 3})
            for (dim_t C : {50000, 200001, 1000000 / 3})
                expect_equal_for_threads(GetParam(), {.flags = flags, .dims = {rows, C}}, {1, 2, 3, 4, 7});
}

// What a user's scratchpad for all sizes lacks: then threads do not share rows.
TEST_P(forward_equality, rows_not_shared_for_want_of_a_scratchpad) {
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

INSTANTIATE_TEST_SUITE_P(native, forward_equality, testing::Values(isa::avx2, isa::avx512), on_isa::name);

// A thinner choice for an emulated processor: every length, since tails and unrolls are what can break there, but few
// rows (one, a pair and one left over) and the flags that change code.
class emulated_forward_equality : public on_isa {};

TEST_P(emulated_forward_equality, lengths) {
    constexpr dim_t rows[] = {1, 3};
    constexpr unsigned flags[] = {0, jitnorm_use_scale | jitnorm_use_shift, jitnorm_use_scale | jitnorm_rms_norm,
                                  jitnorm_use_shift | jitnorm_use_global_stats};
    sweep_shapes(GetParam(), flags, rows);
}

TEST_P(emulated_forward_equality, rows_and_threads) {
    for (dim_t n = 1; n <= 9; ++n)
        for (dim_t C : {17, 4097}) expect_equal_to_reference(GetParam(), {.dims = {n, C}, .seed = unsigned(n)});
}

INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_equality, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
