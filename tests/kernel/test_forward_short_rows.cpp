// SPDX-License-Identifier: Apache-2.0
// Rows short enough for code of their own, in batches where ordinary rows stand beside those that need another sweep.
#include <limits>

#include "typed_run.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;
constexpr float INF = std::numeric_limits<float>::infinity();
constexpr float QUIET_NAN = std::numeric_limits<float>::quiet_NaN();

// noise() is standard normal.
template <typename Noise>
void fill_row(std::span<float> row, int kind, Noise &&noise) {
    const float first = noise();
    for (float &x : row) {
        const float value = noise();
        switch (kind) {
        case 0: // zeros of either sign
            x = value < 0 ? -0.0F : 0.0F;
            break;
        case 1: // constant
            x = 1e5F * first;
            break;
        case 2:
            x = 1e-41F * value; // denormal
            break;
        case 3:
            x = 1e-25F * value; // squares underflow
            break;
        case 4:
            x = 1e30F * value; // squares overflow
            break;
        case 5:
            x = value < 0 ? 3e38F : -3e38F; // differences overflow
            break;
        case 6:
            x = first + 1e-7F * value; // a mean far from zero
            break;
        default:
            x = 3 + value;
        }
    }
    if (kind == 7) row[row.size() / 2] = QUIET_NAN;
    if (kind == 8) row[0] = INF;
    if (kind == 9) row.back() = 1e4F; // poor pivot, or an outlier
}

// Rows of a kind follow each other, alone or in runs.
forward_inputs mixed_inputs(const problem &p, unsigned seed) {
    forward_inputs in = random_inputs(p, seed);
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    const auto noise = [&] { return normal(generator); };
    const auto C = size_t(p.row_length());
    int kind = 0;
    for (size_t at = 0; at + C <= in.src.size(); at += C) {
        if (generator() % 3 != 0) kind = int(generator() % 20); // more than half of the rows are ordinary
        fill_row(std::span(in.src).subspan(at, C), kind, noise);
    }
    return in;
}

class forward_short_rows : public forward_on {};
class emulated_forward_short_rows : public forward_on {};

void expect_mixed_rows_equal(isa vectors, std::span<const dim_t> rows, std::span<const dim_t> lengths) {
    for (unsigned flags : {0U, SCALE_SHIFT, unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (dim_t C : lengths)
            for (dim_t n : rows) {
                problem p = forward_problem(n, C, flags);
                p.epsilon = (C + n) % 2 == 0 ? 0.0F : 1e-5F;
                const auto seed = unsigned(C * 100 + n);
                SCOPED_TRACE("seed " + std::to_string(seed));
                expect_equal_to_reference(vectors, p, mixed_inputs(p, seed),
                                          {n % 2 == 0 ? guard_side::before : guard_side::after});
                if (testing::Test::HasFailure()) return;
            }
}

TEST_P(forward_short_rows, mixed_batches) {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 33; ++c) lengths.push_back(c);
    for (dim_t c : {47, 48, 49, 63, 64, 65}) lengths.push_back(c);
    constexpr dim_t rows[] = {1, 2, 7, 8, 9, 15, 31, 32, 33, 65, 200};
    expect_mixed_rows_equal(GetParam(), rows, lengths);
}

TEST_P(emulated_forward_short_rows, mixed_batches) {
    constexpr dim_t rows[] = {3, 41}, lengths[] = {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 64};
    expect_mixed_rows_equal(GetParam(), rows, lengths);
}

// Whole groups of rows and an incomplete one, of every type.
TEST_P(forward_short_rows, every_type) {
    for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8})
        for (unsigned flags : {SCALE_SHIFT, unsigned(jitnorm_rms_norm)})
            for (dim_t C = 1; C <= 33; ++C)
                for (dim_t n : {8, 43}) {
                    problem p = forward_problem(n, C, flags);
                    p.src.data_type = p.dst.data_type = type;
                    expect_typed_equal_to_reference(GetParam(), p, unsigned(C * 100 + n),
                                                    C % 2 == 0 ? guard_side::before : guard_side::after);
                    if (HasFailure()) return;
                }
}

// Rows that are further apart than they are long.
TEST_P(forward_short_rows, apart) {
    for (dim_t C : {1, 3, 7, 16, 31, 64})
        for (dim_t gap : {1, 5, 1024}) {
            problem p = forward_problem(43, C, SCALE_SHIFT);
            const dim_t dims[] = {43, C}, strides[] = {C + gap, 1};
            ASSERT_EQ(impl::make_with_strides(p.src, 2, dims, jitnorm_f32, strides), jitnorm_success);
            p.dst = p.src;
            expect_typed_equal_to_reference(GetParam(), p, unsigned(C), guard_side::after);
        }
}

TEST_P(forward_short_rows, in_place) {
    for (dim_t C = 1; C <= 65; ++C) {
        const problem p = forward_problem(43, C, SCALE_SHIFT);
        expect_equal_to_reference(GetParam(), p, mixed_inputs(p, unsigned(C)), {guard_side::after, true});
    }
}

// A row of one element is its own mean, whatever it is.
TEST_P(forward_short_rows, one_element) {
    constexpr float VALUES[] = {0.0F, -0.0F, 1.5F, 1e-41F, -1e-25F, 3e38F, -3e38F, INF, -INF, QUIET_NAN};
    for (float epsilon : {0.0F, 1e-5F})
        for (unsigned flags : {0U, SCALE_SHIFT, unsigned(jitnorm_use_scale), unsigned(jitnorm_rms_norm)}) {
            problem p = forward_problem(100, 1, flags);
            p.epsilon = epsilon;
            forward_inputs in = random_inputs(p, 3);
            for (size_t r = 0; r < in.src.size(); ++r) in.src[r] = VALUES[r % std::size(VALUES)];
            expect_equal_to_reference(GetParam(), p, in);
        }
}

INSTANTIATE_TEST_SUITE_P(native, forward_short_rows, testing::Values(isa::avx2, isa::avx512), isa_name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_short_rows, testing::Values(isa::avx512), isa_name);

} // namespace
} // namespace jitnorm::tests
