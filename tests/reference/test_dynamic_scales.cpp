// SPDX-License-Identifier: Apache-2.0
// Scales of dst that the library finds: the reference follows docs/arithmetic.md to the bit, for values that it has
// stored without scales.
#include <cmath>
#include <limits>

#include "math/convert.hpp"
#include "support/dynamic_scales.hpp"

namespace jitnorm::tests {
namespace {

constexpr float INF = std::numeric_limits<float>::infinity(), NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

// What the same problem stores as f32, without scales.
std::vector<double> unscaled(setup s, const preparation &prepare = {}) {
    s.dst_type = jitnorm_f32;
    s.dynamic_scales = {};
    return outputs_by(reference_entry, s, prepare).result();
}

TEST(reference_dynamic_scales, follow_the_definition) {
    const std::pair<jitnorm_data_type_t, float> types[] = {
        {jitnorm_s8, 127}, {jitnorm_u8, 255}, {jitnorm_f8_e5m2, 57344}, {jitnorm_f8_e4m3, 448}};
    for (const auto &[type, limit] : types)
        for (const dim_t C : {1, 12, 600, 1200})
            for (const dim_t per_row : {dim_t(1), C / 6}) {
                if (per_row == 0) continue;
                const setup s = quantizing({4, C}, per_row, type);
                const outputs got = outputs_by(reference_entry, s);
                const std::vector<double> y = unscaled(s);
                const size_t width = size_t(C / per_row);
                ASSERT_EQ(got[DST_SCALE].size() * width, y.size());
                for (size_t i = 0; i < y.size(); ++i) {
                    const size_t group = i / width;
                    double largest = 0;
                    for (size_t j = group * width; j < (group + 1) * width; ++j)
                        largest = std::max(largest, std::fabs(y[j]));
                    const float scale = float(largest) / limit, scaled = float(y[i]) * (1 / scale);
                    EXPECT_EQ(got[DST_SCALE][group], double(scale));
                    impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
                        EXPECT_EQ(got.result()[i], impl::widen<double>(impl::narrow<Stored>(scaled)));
                    });
                }
            }
}

TEST(reference_dynamic_scales, the_largest_becomes_the_end_of_the_range) {
    const outputs got = outputs_by(reference_entry, letting_through(3, 4),
                                   holding({1, -2, 0.5, 0,        // -127
                                            0, 0, 0, 0,           //
                                            300, 200, 100, -1})); // 127
    EXPECT_EQ(got.result(), (std::vector<double>{64, -127, 32, 0, 0, 0, 0, 0, 127, 85, 42, 0}));
    EXPECT_EQ(got[DST_SCALE], (std::vector<double>{double(2.0F / 127), 0, double(300.0F / 127)}));
}

// The other values of their group become zero, and the scale is not finite; other groups do not change.
TEST(reference_dynamic_scales, infinities_and_nan_stay_in_their_group) {
    const outputs got =
        outputs_by(reference_entry, letting_through(2, 4, 2), holding({INF, 1, 2, 1, NOT_A_NUMBER, INF, 127, -1}));
    EXPECT_EQ(got.result(), (std::vector<double>{0, 0, 127, 64, 0, 0, 127, -1}));
    EXPECT_EQ(got[DST_SCALE][0], INF);
    EXPECT_TRUE(std::isnan(got[DST_SCALE][2]));
    EXPECT_EQ(got[DST_SCALE][3], 1);
}

// Below 2^-128 of the largest number the scale has no finite inverse: such a group is stored as zeros.
TEST(reference_dynamic_scales, values_too_small_for_a_factor_become_zero) {
    for (const auto &[type, largest] : {std::pair(jitnorm_s8, 127.0), {jitnorm_u8, 255.0}, {jitnorm_f8_e4m3, 448.0}}) {
        const double too_small = std::nextafterf(0x1p-128F, 0) * largest, enough = 0x1.01p-128 * largest;
        setup s = letting_through(1, 4, 2);
        s.dst_type = type;
        const outputs got = outputs_by(reference_entry, s, holding({too_small, 0, enough, 0}));
        EXPECT_EQ(got.result(), (std::vector<double>{0, 0, largest, 0})) << type;
        EXPECT_GT(got[DST_SCALE][0], 0) << type;
    }
}

// f8 has NaN; the other values of the group still become zero.
TEST(reference_dynamic_scales, nan_stays_nan_in_f8) {
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        setup s = letting_through(1, 4, 2);
        s.dst_type = type;
        const outputs got = outputs_by(reference_entry, s, holding({NOT_A_NUMBER, 1, INF, 1}));
        EXPECT_TRUE(std::isnan(got.result()[0])) << type;
        EXPECT_EQ(got.result()[1], 0) << type;
        EXPECT_TRUE(std::isnan(got.result()[2])) << type << ": infinity times zero";
        EXPECT_EQ(got.result()[3], 0) << type;
    }
}

TEST(reference_dynamic_scales, of_rows_without_elements_are_zero) {
    for (const implementation *by : {&reference_entry, &jit_for(isa::avx2), &jit_for(isa::avx512)})
        if (by->refusal(make_problem(quantizing({3, 0}))).empty()) { // not every processor has AVX-512
            EXPECT_EQ(outputs_by(*by, quantizing({3, 0}))[DST_SCALE], (std::vector<double>(3, 0)));
        }
}

} // namespace
} // namespace jitnorm::tests
