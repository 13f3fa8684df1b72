// SPDX-License-Identifier: Apache-2.0
// Rows that leave the straight path: poor pivots, rescaled squares, constants, NaN and infinity.
#include <cmath>
#include <limits>

#include "forward_run.hpp"

namespace jitnorm::tests {
namespace {

constexpr float INF = std::numeric_limits<float>::infinity();
constexpr float QNAN = std::numeric_limits<float>::quiet_NaN();

struct special_row {
    const char *name;
    float (*value)(dim_t c, float noise); // noise is standard normal
};

constexpr special_row SPECIAL_ROWS[] = {
    {"constant", [](dim_t, float) { return 1e6F; }},
    {"zero", [](dim_t, float) { return 0.0F; }},
    {"negative zero", [](dim_t, float) { return -0.0F; }},
    {"huge mean", [](dim_t, float noise) { return 1e6F + noise; }},
    {"outlier first", [](dim_t c, float noise) { return c == 0 ? 1e4F : noise; }},
    {"outliers in the pivot", [](dim_t c, float noise) { return c < 4 ? 50.0F : noise; }},
    {"ramp", [](dim_t c, float) { return float(c); }},
    {"alternating 1e30", [](dim_t c, float) { return c % 2 == 0 ? 1e30F : -1e30F; }},
    {"near overflow", [](dim_t, float noise) { return 3e37F * noise; }},
    {"squares underflow", [](dim_t, float noise) { return 1e-25F * noise; }},
    {"denormal", [](dim_t, float noise) { return 1e-40F * noise; }},
    {"one NaN", [](dim_t c, float noise) { return c == 5 ? QNAN : noise; }},
    {"infinity first", [](dim_t c, float noise) { return c == 0 ? INF : noise; }},
    {"infinity late", [](dim_t c, float noise) { return c == 9 ? -INF : noise; }},
};

problem special_problem(dim_t columns, unsigned flags) {
    return forward_problem(dim_t(std::size(SPECIAL_ROWS)) * 2, columns, flags);
}

// Every second row is an ordinary one.
forward_inputs special_inputs(const problem &p) {
    forward_inputs in = random_inputs(p, 5, 0, 1);
    const dim_t C = p.row_length();
    for (size_t k = 0; k < std::size(SPECIAL_ROWS); ++k)
        for (dim_t c = 0; c < C; ++c) {
            float &x = in.src[2 * k * size_t(C) + size_t(c)];
            x = SPECIAL_ROWS[k].value(c, x);
        }
    return in;
}

class forward_special_rows : public forward_on {};
class emulated_forward_special_rows : public forward_on {};

void expect_special_rows_equal(isa vectors) {
    for (unsigned flags : {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm)})
        for (dim_t C : {12, 64, 100, 600, 5000}) {
            const problem p = special_problem(C, flags);
            expect_equal_to_reference(vectors, p, special_inputs(p));
        }
}

TEST_P(forward_special_rows, equal_the_reference) { expect_special_rows_equal(GetParam()); }
TEST_P(emulated_forward_special_rows, equal_the_reference) { expect_special_rows_equal(GetParam()); }

TEST_P(forward_special_rows, nan_stays_in_its_row) {
    constexpr dim_t C = 100;
    for (unsigned flags : {0U, unsigned(jitnorm_rms_norm)}) {
        const problem p = special_problem(C, flags);
        const auto out = run(jit_forward(GetParam()), p, special_inputs(p));
        const auto *dst = reinterpret_cast<const float *>(out.dst.data());
        for (dim_t row = 0; row < p.rows(); ++row) {
            const char *name = SPECIAL_ROWS[row / 2].name;
            const bool bad = row % 2 == 0 && (std::strstr(name, "NaN") || std::strstr(name, "infinity"));
            for (dim_t c = 0; c < C; ++c)
                ASSERT_EQ(std::isnan(dst[row * C + c]), bad) << name << " row " << row << " element " << c;
        }
    }
}

TEST_P(forward_special_rows, constant_rows_give_shift) {
    for (dim_t C : {1, 3, 31, 768, 5000}) {
        const problem p = forward_problem(4, C, jitnorm_use_scale | jitnorm_use_shift);
        forward_inputs in = random_inputs(p, 9);
        for (dim_t i = 0; i < 4 * C; ++i) in.src[size_t(i)] = std::array{1e6F, -0.1F, 3e-39F, 7e30F}[size_t(i / C)];
        const auto out = run(jit_forward(GetParam()), p, in);
        for (dim_t row = 0; row < 4; ++row)
            EXPECT_EQ(std::memcmp(out.dst.data() + row * C * 4, in.shift.data(), size_t(C) * 4), 0) << C << " " << row;
    }
}

INSTANTIATE_TEST_SUITE_P(native, forward_special_rows, testing::Values(isa::avx2, isa::avx512), isa_name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_forward_special_rows, testing::Values(isa::avx512), isa_name);

} // namespace
} // namespace jitnorm::tests
