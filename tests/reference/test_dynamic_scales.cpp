// SPDX-License-Identifier: Apache-2.0
// Scales of dst that the library finds: the reference follows docs/arithmetic.md to the bit, for values that it has
// stored without scales.
#include <cmath>
#include <limits>

#include "math/convert.hpp"
#include "math/dynamic_scale.hpp"
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

// Groups whose values are not finite or are so small (2^-128 of the largest number) that their scale has no finite
// inverse are stored as zeros, but for what is NaN in f8; other groups do not change.
TEST(reference_dynamic_scales, of_values_that_cannot_be_scaled) {
    constexpr auto E5M2 = jitnorm_f8_e5m2, E4M3 = jitnorm_f8_e4m3;
    const auto too_small = [](double largest) { return std::nextafterf(0x1p-128F, 0) * largest; };
    const auto enough = [](double largest) { return 0x1.01p-128 * largest; };
    const struct {
        jitnorm_data_type_t type;
        std::vector<double> src, dst; // of groups of two
    } rows[] = {{jitnorm_s8, {INF, 1, 2, 1, 0, 0, 127, -1}, {0, 0, 127, 64, 0, 0, 127, -1}},
                {jitnorm_s8, {NOT_A_NUMBER, INF, 1, -2}, {0, 0, 64, -127}},
                {jitnorm_s8, {too_small(127), 0, enough(127), 0}, {0, 0, 127, 0}},
                {jitnorm_u8, {too_small(255), 0, enough(255), 0}, {0, 0, 255, 0}},
                {E4M3, {too_small(448), 0, enough(448), 0}, {0, 0, 448, 0}},
                {E5M2, {NOT_A_NUMBER, 1, INF, 1}, {NOT_A_NUMBER, 0, NOT_A_NUMBER, 0}}, // infinity times zero
                {E4M3, {NOT_A_NUMBER, 1, INF, 1}, {NOT_A_NUMBER, 0, NOT_A_NUMBER, 0}}};
    for (const auto &[type, src, dst] : rows) {
        SCOPED_TRACE(testing::PrintToString(src) + " in type " + std::to_string(type));
        const dim_t columns = dim_t(src.size());
        setup s = letting_through(1, columns, columns / 2);
        s.dst_type = type;
        const outputs got = outputs_by(reference_entry, s, holding(src));
        EXPECT_TRUE(same_bits(got.result(), dst)) << testing::PrintToString(got.result());
        std::vector<double> scales;
        for (size_t group = 0; group < src.size(); group += 2) {
            const double largest = std::fmax(std::fabs(src[group]), std::fabs(src[group + 1]));
            scales.push_back(double(float(largest) / impl::layer_norm::largest_number(type)));
        }
        if (std::isnan(src[0])) scales[0] = NOT_A_NUMBER;
        EXPECT_TRUE(same_bits(got[DST_SCALE], scales)) << testing::PrintToString(got[DST_SCALE]);
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
