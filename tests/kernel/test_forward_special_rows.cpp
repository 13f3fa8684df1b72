// SPDX-License-Identifier: Apache-2.0
// Rows that leave the straight path: poor pivots, rescaled squares, constants, NaN and infinity.
#include <limits>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double QNAN = std::numeric_limits<double>::quiet_NaN();

struct special_row {
    const char *name;
    double (*value)(dim_t c, double noise); // noise is standard normal
};

constexpr special_row SPECIAL_ROWS[] = {
    {"constant", [](dim_t, double) { return 1e6; }},
    {"constant whose sum is rounded", [](dim_t, double) { return -0.1; }},
    {"zero", [](dim_t, double) { return 0.0; }},
    {"negative zero", [](dim_t, double) { return -0.0; }},
    {"huge mean", [](dim_t, double noise) { return 1e6 + noise; }},
    {"outlier first", [](dim_t c, double noise) { return c == 0 ? 1e4 : noise; }},
    {"outliers in the pivot", [](dim_t c, double noise) { return c < 4 ? 50.0 : noise; }},
    {"ramp", [](dim_t c, double) { return double(c); }},
    {"alternating 1e30", [](dim_t c, double) { return c % 2 == 0 ? 1e30 : -1e30; }},
    {"near overflow", [](dim_t, double noise) { return 3e37 * noise; }},
    {"squares underflow", [](dim_t, double noise) { return 1e-25 * noise; }},
    {"denormal", [](dim_t, double noise) { return 1e-40 * noise; }},
    {"one NaN", [](dim_t c, double noise) { return c == 5 ? QNAN : noise; }},
    {"infinity first", [](dim_t c, double noise) { return c == 0 ? INF : noise; }},
    {"infinity late", [](dim_t c, double noise) { return c == 9 ? -INF : noise; }},
};

// Every second row is an ordinary one.
setup special_setup(dim_t columns, unsigned flags) {
    return {.flags = flags, .dims = {dim_t(std::size(SPECIAL_ROWS)) * 2, columns}, .mean = 0, .deviation = 1};
}

void make_special(run &r) {
    std::vector<double> src = r[SRC].values();
    const dim_t C = r.p.row_length();
    for (size_t k = 0; k < std::size(SPECIAL_ROWS); ++k)
        for (dim_t c = 0; c < C; ++c) {
            double &x = src[2 * k * size_t(C) + size_t(c)];
            x = SPECIAL_ROWS[k].value(c, x);
        }
    r[SRC].fill(src);
}

class forward_special_rows : public on_isa {};
class emulated_forward_special_rows : public on_isa {};

void expect_special_rows_equal(isa vectors) {
    for (unsigned flags : {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm)})
        for (dim_t C : {12, 64, 100, 600, 5000})
            expect_equal_to_reference(vectors, special_setup(C, flags), make_special);
}

TEST_P(forward_special_rows, equal_the_reference) { expect_special_rows_equal(GetParam()); }
TEST_P(emulated_forward_special_rows, equal_the_reference) { expect_special_rows_equal(GetParam()); }

INSTANTIATE_TEST_SUITE_P(native, forward_special_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_special_rows, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
