// SPDX-License-Identifier: Apache-2.0
// Backward by the implementation that a user gets, of very many rows.
#include <cmath>

#include "dispatch/ranking.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

using impl::layer_norm::choose;

constexpr unsigned SCALE_SHIFT = jitnorm_use_scale | jitnorm_use_shift;

// Ten million rows of 16 from little memory: 1000 rows of src for each of 10000 rows of diff_dst, by strides of 0. So
// diff_scale is the product of two sums.
class ten_million_rows {
public:
    static constexpr dim_t OUTER = 10000, INNER = 1000, COLUMNS = 16;

    ten_million_rows()
        : src_(random_values(INNER * COLUMNS, 1, 2, 7)), diff_dst_(random_values(OUTER * COLUMNS, 0.5, 1, 8)),
          diff_src_(OUTER * INNER * COLUMNS) {
        p_.prop_kind = jitnorm_backward;
        p_.flags = SCALE_SHIFT;
        p_.epsilon = 1e-5F;
        const dim_t dims[] = {OUTER, INNER, COLUMNS}, inner[] = {0, COLUMNS, 1}, outer[] = {COLUMNS, 0, 1},
                    row[] = {0, 1};
        EXPECT_EQ(impl::make_with_strides(p_[SRC], 3, dims, jitnorm_f32, inner), jitnorm_success);
        EXPECT_EQ(impl::make_with_strides(p_[DIFF_DST], 3, dims, jitnorm_f32, outer), jitnorm_success);
        EXPECT_EQ(impl::make_with_strides(p_[VARIANCE], 2, dims, jitnorm_f32, row), jitnorm_success);
        p_[DIFF_SRC] = impl::make_dense(dims, jitnorm_bf16);
        for (dim_t i = 0; i < INNER; ++i) {
            mean_.push_back(1);
            variance_.push_back(2 + float(i % 7));
        }
    }

    // On the largest gradient.
    void check() {
        run r({.kind = jitnorm_backward, .flags = SCALE_SHIFT, .dims = {1, 1, COLUMNS}});
        r.p = p_;
        r[SRC] = tensor(p_[SRC], src_.data());
        r[DIFF_DST] = tensor(p_[DIFF_DST], diff_dst_.data());
        r[DIFF_SRC] = tensor(p_[DIFF_SRC], diff_src_.data());
        r[MEAN] = tensor(p_[VARIANCE], mean_.data());
        r[VARIANCE] = tensor(p_[VARIANCE], variance_.data());
        r[SCALE].fill(std::vector<double>(COLUMNS, 1));
        r.execute_on(*choose(r.p));
        const std::vector<double> diff_scale = r[DIFF_SCALE].values(), diff_shift = r[DIFF_SHIFT].values();
        for (size_t c = 0; c < COLUMNS; ++c) {
            const long double shift = sum_of_diff_dst(c), scale_gradient = shift * sum_of_xhat(c);
            EXPECT_NEAR(double(diff_shift[c] / (shift * INNER)), 1, 1e-6) << c;
            EXPECT_NEAR(double(diff_scale[c] / scale_gradient), 1, 1e-6) << c;
        }
    }

private:
    static std::vector<float> random_values(dim_t count, double mean, double deviation, unsigned seed) {
        const std::vector<double> values = tests::random_values(count, mean, deviation, seed);
        return {values.begin(), values.end()};
    }
    long double sum_of_diff_dst(size_t c) const {
        long double sum = 0;
        for (size_t i = c; i < diff_dst_.size(); i += COLUMNS) sum += diff_dst_[i];
        return sum;
    }
    long double sum_of_xhat(size_t c) const {
        long double sum = 0;
        for (size_t i = 0; i < INNER; ++i)
            sum += (static_cast<long double>(src_[i * COLUMNS + c]) - mean_[i]) /
                   std::sqrt(static_cast<long double>(variance_[i]) + p_.epsilon);
        return sum;
    }

    problem p_;
    std::vector<float> src_, diff_dst_, mean_, variance_;
    std::vector<uint16_t> diff_src_;
};

TEST(gradients_of_scale_and_shift, ten_million_rows) { ten_million_rows().check(); }

} // namespace
} // namespace jitnorm::tests
