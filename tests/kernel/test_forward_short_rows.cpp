// SPDX-License-Identifier: Apache-2.0
// Rows short enough for code of their own, in batches where ordinary rows stand beside those that need another sweep.
#include <limits>
#include <random>
#include <span>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;
constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double QUIET_NAN = std::numeric_limits<double>::quiet_NaN();

// With and without an incomplete vector: all around the lanes of the sums, then one for each number of vectors.
std::vector<dim_t> row_lengths() {
    std::vector<dim_t> lengths;
    for (dim_t c = 1; c <= 33; ++c) lengths.push_back(c);
    for (dim_t whole : {40, 48, 56, 64, 80, 96, 112, 128})
        for (dim_t c : {whole - 1, whole}) lengths.push_back(c);
    lengths.push_back(129);
    return lengths;
}

// noise() is standard normal.
template <typename Noise>
void fill_row(std::span<double> row, int kind, Noise &&noise) {
    const double first = noise();
    for (double &x : row) {
        const double value = noise();
        switch (kind) {
        case 0: // zeros of either sign
            x = value < 0 ? -0.0 : 0.0;
            break;
        case 1: // constant
            x = 1e5 * first;
            break;
        case 2:
            x = 1e-41 * value; // denormal
            break;
        case 3:
            x = 1e-25 * value; // squares underflow
            break;
        case 4:
            x = 1e30 * value; // squares overflow
            break;
        case 5:
            x = value < 0 ? 3e38 : -3e38; // differences overflow
            break;
        case 6:
            x = first + 1e-7 * value; // a mean far from zero
            break;
        default:
            x = 3 + value;
        }
    }
    if (kind == 7) row[row.size() / 2] = QUIET_NAN;
    if (kind == 8) row[0] = INF;
    if (kind == 9) row.back() = 1e4; // poor pivot, or an outlier
}

// Rows of a kind follow each other, alone or in runs.
void mix(run &r) {
    std::vector<double> src = r[SRC].values();
    std::mt19937 generator(unsigned(src.size()));
    std::normal_distribution<double> normal;
    const auto noise = [&] { return normal(generator); };
    const auto C = size_t(r.p.row_length());
    int kind = 0;
    for (size_t at = 0; at + C <= src.size(); at += C) {
        if (generator() % 3 != 0) kind = int(generator() % 20); // more than half of the rows are ordinary
        fill_row(std::span(src).subspan(at, C), kind, noise);
    }
    r[SRC].fill(src);
}

class forward_short_rows : public on_isa {};
class emulated_forward_short_rows : public on_isa {};

void expect_mixed_rows_equal(isa vectors, std::span<const dim_t> rows, std::span<const dim_t> lengths) {
    for (unsigned flags : {0U, SCALE_SHIFT, unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
        for (dim_t C : lengths)
            for (dim_t n : rows) {
                const guard_side side = n % 2 == 0 ? guard_side::before : guard_side::after;
                expect_equal_to_reference(vectors, {.flags = flags, .dims = {n, C}, .side = side}, [&](run &r) {
                    if ((C + n) % 2 == 0) r.p.epsilon = 0;
                    mix(r);
                });
                if (testing::Test::HasFailure()) return;
            }
}

TEST_P(forward_short_rows, mixed_batches) {
    constexpr dim_t rows[] = {1, 2, 7, 8, 9, 15, 31, 32, 33, 65, 200};
    expect_mixed_rows_equal(GetParam(), rows, row_lengths());
}

TEST_P(emulated_forward_short_rows, mixed_batches) {
    constexpr dim_t rows[] = {3, 41}, lengths[] = {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 64, 79, 128};
    expect_mixed_rows_equal(GetParam(), rows, lengths);
}

// Whole groups of rows and an incomplete one, of every type.
TEST_P(forward_short_rows, every_type) {
    for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64, jitnorm_s8, jitnorm_u8})
        for (unsigned flags : {SCALE_SHIFT, unsigned(jitnorm_rms_norm)})
            for (dim_t C : row_lengths())
                for (dim_t n : {8, 43}) {
                    expect_equal_to_reference(GetParam(), {.flags = flags,
                                                           .dims = {n, C},
                                                           .src_type = type,
                                                           .dst_type = type,
                                                           .side = C % 2 == 0 ? guard_side::before : guard_side::after,
                                                           .mean = 20,
                                                           .deviation = 30,
                                                           .seed = unsigned(C * 100 + n)});
                    if (HasFailure()) return;
                }
}

// Rows that are further apart than they are long.
TEST_P(forward_short_rows, apart) {
    for (dim_t C : {1, 3, 7, 16, 31, 64, 100, 128})
        for (dim_t gap : {1, 5, 1024}) {
            const std::string strides = std::to_string(C + gap) + ",1";
            expect_equal_to_reference(GetParam(), {.dims = {43, C}, .src = strides, .dst = strides});
        }
}

TEST_P(forward_short_rows, in_place) {
    for (dim_t C : row_lengths()) expect_equal_to_reference(GetParam(), {.dims = {43, C}, .in_place = true}, mix);
}

// A row of one element is its own mean, whatever it is.
TEST_P(forward_short_rows, one_element) {
    constexpr double VALUES[] = {0.0, -0.0, 1.5, 1e-41, -1e-25, 3e38, -3e38, INF, -INF, QUIET_NAN};
    for (float epsilon : {0.0F, 1e-5F})
        for (unsigned flags : {0U, SCALE_SHIFT, unsigned(jitnorm_use_scale), unsigned(jitnorm_rms_norm)})
            expect_equal_to_reference(GetParam(), {.flags = flags, .dims = {100, 1}}, [&](run &r) {
                r.p.epsilon = epsilon;
                std::vector<double> src(100);
                for (size_t row = 0; row < src.size(); ++row) src[row] = VALUES[row % std::size(VALUES)];
                r[SRC].fill(src);
            });
}

INSTANTIATE_TEST_SUITE_P(native, forward_short_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_short_rows, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
