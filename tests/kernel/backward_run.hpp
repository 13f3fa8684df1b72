// SPDX-License-Identifier: Apache-2.0
// One backward problem, run by any implementation on guarded tensors, and the bits of its gradients compared.
#pragma once

#include <bit>
#include <cmath>
#include <functional>

#include "../reference/run.hpp"
#include "backward/jit_backward.hpp"
#include "jit/isa.hpp"

namespace jitnorm::tests {

using impl::jit::isa;
using impl::layer_norm::implementation;
using impl::layer_norm::reference_entry;

inline const implementation &jit_backward(isa vectors) {
    using namespace impl::layer_norm;
    return vectors == isa::avx512 ? jit_avx512_backward : jit_avx2_backward;
}

// Every value widened to double, which is exact.
struct gradients {
    std::vector<double> diff_src, diff_scale, diff_shift;
};

using preparation = std::function<void(run &)>; // changes inputs before they are read

inline gradients gradients_by(const implementation &entry, const setup &s, const preparation &prepare = {}) {
    EXPECT_EQ(entry.refusal(make_problem(s)), "");
    run r(s);
    if (prepare) prepare(r);
    r.execute_on(entry);
    const auto values_of = [](const tensor &t) { return t.exists() ? t.values() : std::vector<double>(); };
    return {r.result().values(), values_of(r.diff_scale), values_of(r.diff_shift)};
}

// The definition is blind to NaN's payload and sign.
inline bool same_bits(const std::vector<double> &a, const std::vector<double> &b) {
    const auto same = [](double x, double y) {
        return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y) || (std::isnan(x) && std::isnan(y));
    };
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

inline void expect_same(const gradients &got, const gradients &expected, const setup &s, const std::string &what) {
    EXPECT_TRUE(same_bits(got.diff_src, expected.diff_src)) << "diff_src, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.diff_scale, expected.diff_scale)) << "diff_scale, " << what << ": " << s;
    EXPECT_TRUE(same_bits(got.diff_shift, expected.diff_shift)) << "diff_shift, " << what << ": " << s;
}

// Runs the reference and the kernels and compares.
inline void expect_equal_to_reference(isa vectors, const setup &s, const preparation &prepare = {}) {
    expect_same(gradients_by(jit_backward(vectors), s, prepare), gradients_by(reference_entry, s, prepare), s,
                jit_backward(vectors).name);
}

// A suite over instruction sets: a machine that lacks one says so.
class backward_on : public testing::TestWithParam<isa> {
protected:
    void SetUp() override {
        if (!impl::jit::is_allowed(GetParam())) GTEST_SKIP() << "this processor lacks " << name_of_isa(GetParam());
    }

public:
    static std::string name_of_isa(isa vectors) { return vectors == isa::avx512 ? "avx512" : "avx2"; }
    static std::string name(const testing::TestParamInfo<isa> &info) { return name_of_isa(info.param); }
};

} // namespace jitnorm::tests
