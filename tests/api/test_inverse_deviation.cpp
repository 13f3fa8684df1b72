// SPDX-License-Identifier: Apache-2.0
// jitnorm_inverse_deviation: the variance tensor holds 1 / sqrt(variance + epsilon), written by forward, read by
// backward and with global statistics, and no bit of the data differs.
#include <cmath>

#include "support/execution.hpp"

using namespace jitnorm::tests;

namespace {

constexpr unsigned AFFINE = jitnorm_use_scale | jitnorm_use_shift;
const std::vector<float> ROWS = {1, 2, 3, 5, -8, 13, 21, 34, 55, 89, 144, -233, 2, 2, 2};

owned_md rows_desc() { return make_md({3, 5}, jitnorm_f32, jitnorm_ab); }

execution forward_with(unsigned flags) {
    const owned_md rows = rows_desc();
    execution forward(forward_request{.src = rows, .dst = rows, .flags = flags}.make());
    forward.set(JITNORM_ARG_SRC, ROWS);
    return forward;
}

execution backward_with(unsigned flags, const std::vector<float> &mean, const std::vector<float> &deviations) {
    const owned_md rows = rows_desc();
    execution backward(backward_request{.diff_src = rows, .diff_dst = rows, .src = rows, .flags = flags}.make());
    backward.set(JITNORM_ARG_SRC, ROWS);
    backward.set(JITNORM_ARG_MEAN, mean);
    backward.set(JITNORM_ARG_VARIANCE, deviations);
    EXPECT_EQ(backward.run(), jitnorm_success);
    return backward;
}

TEST(inverse_deviation, is_what_forward_writes) {
    execution plain = forward_with(AFFINE), inverse = forward_with(AFFINE | jitnorm_inverse_deviation);
    ASSERT_EQ(plain.run(), jitnorm_success);
    ASSERT_EQ(inverse.run(), jitnorm_success);
    EXPECT_EQ(plain.get(JITNORM_ARG_DST), inverse.get(JITNORM_ARG_DST));
    EXPECT_EQ(plain.get(JITNORM_ARG_MEAN), inverse.get(JITNORM_ARG_MEAN));
    const std::vector<float> variance = plain.get(JITNORM_ARG_VARIANCE), rstd = inverse.get(JITNORM_ARG_VARIANCE);
    for (size_t row = 0; row < 3; ++row)
        EXPECT_FLOAT_EQ(rstd[row], float(1 / std::sqrt(double(variance[row]) + double(1e-5F))));
}

TEST(inverse_deviation, is_what_backward_and_global_statistics_read) {
    const std::vector<float> mean = {2, 23, 2}, rstd = {0.5F, 0.25F, 8}, variance = {4 - 1e-5F, 16 - 1e-5F, 0};
    execution given = backward_with(AFFINE | jitnorm_inverse_deviation, mean, rstd);
    execution variances = backward_with(AFFINE, mean, variance);
    const std::vector<float> got = given.get(JITNORM_ARG_DIFF_SRC), expected = variances.get(JITNORM_ARG_DIFF_SRC);
    for (size_t i = 0; i < 10; ++i) EXPECT_FLOAT_EQ(got[i], expected[i]); // the third row's variance has no such rstd

    execution forward = forward_with(jitnorm_use_global_stats | jitnorm_inverse_deviation);
    forward.set(JITNORM_ARG_MEAN, mean);
    forward.set(JITNORM_ARG_VARIANCE, rstd);
    ASSERT_EQ(forward.run(), jitnorm_success);
    const std::vector<float> dst = forward.get(JITNORM_ARG_DST);
    for (size_t i = 0; i < ROWS.size(); ++i) EXPECT_FLOAT_EQ(dst[i], (ROWS[i] - mean[i / 5]) * rstd[i / 5]);
}

TEST(inverse_deviation, is_among_the_flags_that_are_answered) {
    const owned_md rows = rows_desc();
    const owned_pd pd = forward_request{.src = rows, .dst = rows, .flags = jitnorm_inverse_deviation}.make();
    unsigned flags = 0;
    ASSERT_EQ(jitnorm_primitive_desc_query(pd, jitnorm_query_flags, 0, &flags), jitnorm_success);
    EXPECT_EQ(flags, unsigned(jitnorm_inverse_deviation));
}

} // namespace
