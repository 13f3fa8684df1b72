// SPDX-License-Identifier: Apache-2.0
// Bands of rows of backward, which one kernel does from their inputs to their result: when plans say so, how many rows
// they have, when they are prefetched, and the bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "plans_on_machines.hpp"

namespace jitnorm::tests {
namespace {

class bands_of_backward : public plans_on_machines {
protected:
    // So many rows are reduced before they are written, on machines without one loop. Data come from memory where any
    // are prefetched. Floats and doubles go one by one from L2 on as well where prefetches would be to L1.
    dim_t expected_rows(const setup &s, const machine &m) const {
        const problem p = make_problem(s);
        const dim_t bytes = p.row_length() * (impl::element_size(p[SRC]) + impl::element_size(p[DIFF_DST]));
        dim_t element = 0; // of all data tensors
        for (const slot which : {SRC, DIFF_DST, DIFF_SRC, DIFF_SUM})
            if (p.uses(which)) element += impl::element_size(p[which]);
        const bool leaves_l2 = m.prefetch == 1 && p.rows() * p.row_length() * element > m.l2;
        const bool is_wide = impl::element_size(p[SRC]) == p.compute_size();
        if ((m.last_level == 1 || (leaves_l2 && is_wide)) && bytes >= 768) return 1;
        return std::clamp<dim_t>(8192 / bytes / 2 * 2, 2, 32);
    }
};

// Rows of at most a chunk go in bands of pairs, with ordinary and with non-temporal stores, in place, and with gaps
// between rows. Rows that come from memory are prefetched, to L1 or to L2, and go one by one unless they are short.
TEST_P(bands_of_backward, of_every_type) {
    for (const auto kind : {jitnorm_backward, jitnorm_backward_data})
        for (const auto type : FLOATING)
            for (const unsigned flags :
                 {0U, unsigned(jitnorm_use_scale | jitnorm_use_shift), unsigned(jitnorm_rms_norm | jitnorm_use_scale)})
                for (const dim_t columns : {15, 192, 207, 513, 1499, 4096}) {
                    setup s = in_place_of(kind, type, columns % 2 == 0 ? 67 : 37, columns);
                    s.flags = flags;
                    s.form = columns == 513 ? statistics_form::inverse_deviation : statistics_form::variance;
                    s.affine_type = columns == 207 ? jitnorm_bf16 : jitnorm_f32;
                    s.residual.sum = columns != 1499 ? "dense" : ""; // whose gradient is added
                    s.residual.sum_type = type;
                    EXPECT_EQ(make_problem(s).reads(DIFF_SUM), columns != 1499) << s;
                    for (const machine &m : {WITH_L2, TO_L1, TO_L2}) {
                        EXPECT_EQ(plan_of(s, m).band_rows, expected_rows(s, m)) << s;
                        EXPECT_EQ(plan_of(s, m).prefetch, m == TO_L1 ? 1 : m == TO_L2 ? 2 : 0) << s;
                        expect_reference(s, m);
                    }
                    EXPECT_TRUE(columns != 192 || plan_of(s, TO_L1).on(2, true).non_temporal) << s;
                    s.in_place = true;
                    for (const machine &m : {TO_L1, TO_L2}) expect_reference(s, m);
                    s.in_place = false;
                    s.src = s.diff_src = "gap";
                    for (const machine &m : {TO_L1, TO_L2}) expect_reference(s, m);
                }
    const setup late = in_place_of(jitnorm_backward, jitnorm_f32);
    run r(late);
    r.execute_on(jit_for(GetParam()), sizes_come::at_execution, TO_L1);
    expect_same(outputs_of(r), outputs_by(reference_entry, late), late, "sizes at execution");
}

// Rows with infinities, NaN, zeros and a huge mean, between rows without.
TEST_P(bands_of_backward, special_ones) {
    setup s = in_place_of(jitnorm_backward, jitnorm_f32, 40, 192);
    EXPECT_GT(plan_of(s, IN_MEMORY).band_rows, 0);
    expect_reference(s, IN_MEMORY, [](run &r) {
        const auto change = [&](slot which, auto &&to) {
            std::vector<double> x = r[which].values();
            for (size_t row = 0; row < 40; row += 2)
                for (size_t c = 0; c < 192; ++c) x[row * 192 + c] = to(row, c, x[row * 192 + c]);
            r[which].fill(x);
        };
        change(SRC, [](size_t row, size_t c, double x) {
            return row == 4 ? 1e30 + x : row == 8 && c == 191 ? std::numeric_limits<double>::infinity() : x;
        });
        change(DIFF_DST, [](size_t row, size_t c, double dy) {
            if (row == 12) return -0.0;
            if (row == 16) return 1e38;
            if (row == 20) return c % 2 == 0 ? 1e-44 : -1e-44;
            return row == 24 && c == 0 ? std::numeric_limits<double>::quiet_NaN() : dy;
        });
    });
}

INSTANTIATE_TEST_SUITE_P(native, bands_of_backward, testing::Values(isa::avx2, isa::avx512), on_isa::name);

} // namespace
} // namespace jitnorm::tests
