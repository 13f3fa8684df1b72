// SPDX-License-Identifier: Apache-2.0
// Rows that hold no ordinary numbers: NaN, infinity, zeros, constants, huge means, values at both ends of the range.
#include <limits>

#include "rig/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double QNAN = std::numeric_limits<double>::quiet_NaN();

// What becomes of a row's values; `x` and `dy` are ordinary ones.
struct special_row {
    const char *name;
    void (*change)(dim_t c, double &x, double &dy, double &mean, double &variance);
};

const special_row SPECIAL_ROWS[] = {
    {"constant", [](dim_t, double &x, double &, double &mean, double &variance) { x = mean, variance = 0; }},
    {"zeros", [](dim_t, double &x, double &dy, double &mean, double &variance) { x = dy = mean = variance = 0; }},
    {"negative zeros", [](dim_t, double &x, double &dy, double &, double &) { x = dy = -0.0; }},
    {"constant gradient", [](dim_t, double &, double &dy, double &, double &) { dy = 0.1; }},
    {"huge mean", [](dim_t, double &x, double &, double &mean, double &) { x += 1e6, mean = 1e6; }},
    {"tiny variance", [](dim_t, double &x, double &, double &mean, double &variance) { x = mean, variance = 1e-44; }},
    {"near overflow", [](dim_t, double &x, double &, double &, double &variance) { x *= 1e37, variance = 3e38; }},
    {"large gradient", [](dim_t, double &, double &dy, double &, double &) { dy *= 1e37; }},
    {"denormals", [](dim_t, double &x, double &dy, double &mean, double &) { x *= 1e-40, dy *= 1e-41, mean = 0; }},
    {"a NaN", [](dim_t c, double &x, double &, double &, double &) { x = c == 5 ? QNAN : x; }},
    {"an infinity", [](dim_t c, double &x, double &, double &, double &) { x = c == 9 ? -INF : x; }},
    {"a NaN in the gradient", [](dim_t c, double &, double &dy, double &, double &) { dy = c == 3 ? QNAN : dy; }},
    {"an infinite gradient", [](dim_t c, double &, double &dy, double &, double &) { dy = c == 0 ? INF : dy; }},
    {"mean NaN", [](dim_t, double &, double &, double &mean, double &) { mean = QNAN; }},
    {"mean infinite", [](dim_t, double &, double &, double &mean, double &) { mean = INF; }},
    {"variance infinite", [](dim_t, double &, double &, double &, double &variance) { variance = INF; }},
};
constexpr auto ROWS = dim_t(std::size(SPECIAL_ROWS));

// Every second row is an ordinary one.
setup special_setup(dim_t columns, unsigned flags, jitnorm_data_type_t type) {
    return {.kind = jitnorm_backward,
            .flags = flags,
            .dims = {2 * ROWS, columns},
            .src_type = type,
            .dst_type = type,
            .diff_src_type = type};
}

void make_special(run &r) {
    std::vector<double> x = r[SRC].values(), dy = r[DIFF_DST].values(), variance = r[VARIANCE].values();
    std::vector<double> mean = r[MEAN].exists() ? r[MEAN].values() : std::vector<double>(variance.size());
    const dim_t C = r.p.row_length();
    for (dim_t k = 0; k < ROWS; ++k)
        for (dim_t c = 0; c < C; ++c) {
            const auto row = size_t(2 * k), i = row * size_t(C) + size_t(c);
            SPECIAL_ROWS[k].change(c, x[i], dy[i], mean[row], variance[row]);
        }
    r[SRC].fill(x);
    r[DIFF_DST].fill(dy);
    if (r[MEAN].exists()) r[MEAN].fill(mean);
    r[VARIANCE].fill(variance);
}

void expect_special_rows_equal(isa vectors, const std::vector<dim_t> &lengths) {
    for (const unsigned flags : {0U, 6U, 7U, jitnorm_rms_norm | 2U})
        for (const dim_t C : lengths)
            for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f64})
                for (const float epsilon : {0.0F, 1e-5F}) {
                    const setup s = special_setup(C, flags, type);
                    expect_equal_to_reference(vectors, s, [&](run &r) {
                        make_special(r);
                        r.p.epsilon = epsilon;
                    });
                }
}

class backward_special_rows : public on_isa {};
class emulated_backward_special_rows : public on_isa {};

// A column whose only products underflow has the gradient 0: the sum in double begins at +0, and so does one that is
// not taken in double because there is a single block.
TEST_P(backward_special_rows, products_that_underflow_leave_positive_zeros) {
    for (const dim_t rows : {1, 2, 3, 40})
        for (const dim_t C : {1, 5, 8, 16, 21, 40, 768})
            for (const auto gradient : {jitnorm_f32, jitnorm_bf16})
                expect_equal_to_reference(
                    GetParam(), {.kind = jitnorm_backward, .dims = {rows, C}, .gradient_type = gradient}, [](run &r) {
                        const size_t count = size_t(nelems(r.p[SRC]));
                        r[SRC].fill(std::vector<double>(count, 1e-30));
                        r[DIFF_DST].fill(std::vector<double>(count, -1e-30));
                        r[MEAN].fill(std::vector<double>(size_t(r.p.rows()), 0));
                    });
}

TEST_P(backward_special_rows, equal_the_reference) {
    expect_special_rows_equal(GetParam(), {10, 12, 16, 37, 100, 600, 5000});
}
TEST_P(emulated_backward_special_rows, equal_the_reference) { expect_special_rows_equal(GetParam(), {37}); }

TEST_P(backward_special_rows, one_element_has_no_gradient) {
    const setup s = {.kind = jitnorm_backward, .dims = {9, 1}};
    const outputs got = outputs_by(jit_for(GetParam()), s, [](run &r) { r[SRC].fill(r[MEAN].values()); });
    EXPECT_EQ(got.result(), std::vector<double>(9, 0.0));
    EXPECT_EQ(got[DIFF_SCALE], std::vector<double>(1, 0.0));
}

INSTANTIATE_TEST_SUITE_P(native, backward_special_rows, testing::Values(isa::avx2, isa::avx512), on_isa::name);
INSTANTIATE_TEST_SUITE_P(emulated, emulated_backward_special_rows, testing::Values(isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
