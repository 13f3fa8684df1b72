// SPDX-License-Identifier: Apache-2.0
// All that one problem writes, forward or backward, by any implementation on guarded tensors, and its bits compared.
#pragma once

#include "backward_run.hpp"
#include "forward/jit_forward.hpp"

namespace jitnorm::tests {

using impl::layer_norm::output;
using impl::layer_norm::statistics_form;

inline const implementation &jit_for(isa vectors, const setup &s) {
    using namespace impl::layer_norm;
    if (!make_problem(s).is_forward()) return jit_backward(vectors);
    return vectors == isa::avx512 ? jit_avx512_forward : jit_avx2_forward;
}

// Every output's values, widened to double, which is exact; empty where it is left out.
struct outputs {
    std::vector<double> result, mean, variance, diff_scale, diff_shift;
};

inline outputs outputs_of(const run &r) {
    const auto values_of = [](const tensor &t) { return t.exists() ? t.values() : std::vector<double>(); };
    return {values_of(r.result()), values_of(r.mean), values_of(r.variance), values_of(r.diff_scale),
            values_of(r.diff_shift)};
}

inline outputs outputs_by(const implementation &entry, const setup &s, const preparation &prepare = {}) {
    EXPECT_EQ(entry.refusal(make_problem(s)), "");
    run r(s);
    if (prepare) prepare(r);
    r.execute_on(entry);
    return outputs_of(r);
}

inline void expect_same(const outputs &got, const outputs &expected, const setup &s, const std::string &what) {
    EXPECT_TRUE(same_bits(got.result, expected.result)) << "dst or diff_src, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.mean, expected.mean)) << "mean, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.variance, expected.variance)) << "variance, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.diff_scale, expected.diff_scale)) << "diff_scale, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.diff_shift, expected.diff_shift)) << "diff_shift, " << what << ": " << s;
}

inline void expect_all_equal_to_reference(isa vectors, const setup &s) {
    const implementation &entry = jit_for(vectors, s);
    expect_same(outputs_by(entry, s), outputs_by(reference_entry, s), s, entry.name);
}

} // namespace jitnorm::tests
