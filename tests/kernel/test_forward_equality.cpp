// SPDX-License-Identifier: Apache-2.0
// Generated forward kernels give the reference's bits: every flag, row lengths around every width, every thread count.
#include <omp.h>

#include "forward_run.hpp"

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
        for (dim_t n : rows) {
            const forward_inputs in = random_inputs(forward_problem(n, C, 0), unsigned(C * 16 + n));
            const run_options options{C % 2 == 0 ? guard_side::before : guard_side::after};
            for (unsigned f : flags) {
                expect_equal_to_reference(vectors, forward_problem(n, C, f), in, options);
                if (testing::Test::HasFailure()) return;
            }
        }
}

class forward_equality : public forward_on {};

TEST_P(forward_equality, all_flags_and_lengths) {
    constexpr dim_t rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    sweep_shapes(GetParam(), every_flag_combination(), rows);
}

TEST_P(forward_equality, inference) {
    for (unsigned flags : every_flag_combination())
        for (dim_t C : {1, 7, 64, 130, 1000, 5000}) {
            const problem p = forward_problem(3, C, flags, jitnorm_forward_inference);
            expect_equal_to_reference(GetParam(), p, random_inputs(p, unsigned(C)));
        }
}

TEST_P(forward_equality, in_place) {
    for (dim_t C : {1, 5, 64, 100, 768, 4097}) {
        const problem p = forward_problem(5, C, jitnorm_use_scale | jitnorm_use_shift);
        expect_equal_to_reference(GetParam(), p, random_inputs(p, unsigned(C)), {guard_side::after, true});
    }
}

// Enough work that every one of four threads gets some, and more rows than one batch.
TEST_P(forward_equality, threads) {
    const int before = omp_get_max_threads();
    for (dim_t C : {1, 16, 63, 130, 768, 1025, 4097, 10007})
        for (dim_t extra : {0, 1, 5}) {
            const dim_t rows = std::max<dim_t>(4, 300000 / (8 * C)) + extra;
            const problem p = forward_problem(rows, C, jitnorm_use_scale | jitnorm_use_shift);
            const forward_inputs in = random_inputs(p, unsigned(C));
            const auto expected = run(impl::layer_norm::reference_entry, p, in);
            for (int threads = 1; threads <= 4; ++threads) {
                omp_set_num_threads(threads);
                expect_same(run(jit_forward(GetParam()), p, in), expected, p, std::to_string(threads) + " threads");
            }
            omp_set_num_threads(before);
        }
}

// Fewer rows than threads: the chunks of long rows are shared, a seventh thread included.
TEST_P(forward_equality, rows_shared_by_threads) {
    const int before = omp_get_max_threads();
    for (unsigned flags : {6U, unsigned(jitnorm_rms_norm), unsigned(jitnorm_use_global_stats | jitnorm_use_shift)})
        for (dim_t rows : {1, 2, 3})
            for (dim_t C : {50000, 200001, 1000000 / 3}) {
                const problem p = forward_problem(rows, C, flags);
                const forward_inputs in = random_inputs(p, unsigned(C + rows));
                const auto expected = run(impl::layer_norm::reference_entry, p, in);
                for (int threads : {1, 2, 3, 4, 7}) {
                    omp_set_num_threads(threads);
                    expect_same(run(jit_forward(GetParam()), p, in), expected, p, std::to_string(threads) + " threads");
                }
                omp_set_num_threads(before);
            }
}

// The bits of a row do not depend on the rows around it.
TEST_P(forward_equality, batch_invariance) {
    for (dim_t C : {3, 64, 200, 768, 5000}) {
        const problem whole = forward_problem(67, C, jitnorm_use_scale);
        const forward_inputs in = random_inputs(whole, unsigned(C));
        const auto all = run(jit_forward(GetParam()), whole, in);
        for (dim_t row : {0, 1, 33, 66}) {
            forward_inputs one = in;
            one.src = {in.src.begin() + row * C, in.src.begin() + (row + 1) * C};
            const auto alone = run(jit_forward(GetParam()), forward_problem(1, C, jitnorm_use_scale), one);
            const auto begin = all.dst.begin() + row * C * dim_t(sizeof(float));
            EXPECT_EQ(alone.dst, std::vector<unsigned char>(begin, begin + C * dim_t(sizeof(float))))
                << C << " " << row;
        }
    }
}

// Outputs larger than any cache take non-temporal stores, where rows fill whole cache lines.
TEST_P(forward_equality, beyond_the_caches) {
    for (dim_t C : {128, 1000}) {
        const problem p = forward_problem(34'000'000 / (4 * C), C, jitnorm_use_scale | jitnorm_use_shift);
        const forward_inputs in = random_inputs(p, 1);
        expect_equal_to_reference(GetParam(), p, in, {guard_side::before});
    }
}

INSTANTIATE_TEST_SUITE_P(native, forward_equality, testing::Values(isa::avx2, isa::avx512), isa_name);

// A thinner choice for an emulated processor: every length, since tails and unrolls are what can break there, but few
// rows (one, a pair and one left over) and the flags that change code.
class emulated_forward_equality : public forward_on {};

TEST_P(emulated_forward_equality, lengths) {
    constexpr dim_t rows[] = {1, 3};
    constexpr unsigned flags[] = {0, jitnorm_use_scale | jitnorm_use_shift, jitnorm_use_scale | jitnorm_rms_norm,
                                  jitnorm_use_shift | jitnorm_use_global_stats};
    sweep_shapes(GetParam(), flags, rows);
}

TEST_P(emulated_forward_equality, rows_and_threads) {
    constexpr unsigned flags[] = {jitnorm_use_scale | jitnorm_use_shift};
    for (dim_t n = 1; n <= 9; ++n)
        for (dim_t C : {17, 4097}) {
            const problem p = forward_problem(n, C, flags[0]);
            expect_equal_to_reference(GetParam(), p, random_inputs(p, unsigned(n)));
        }
}

INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_equality, testing::Values(isa::avx512), isa_name);

} // namespace
} // namespace jitnorm::tests
