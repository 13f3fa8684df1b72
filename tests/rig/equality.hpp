// SPDX-License-Identifier: Apache-2.0
// equality: all that one problem writes, forward or backward, by kernels and by the reference, and its bits compared.
#pragma once

#include <omp.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "jit/isa.hpp"
#include "primitive/on_kernels.hpp"
#include "run.hpp"

namespace jitnorm::tests {

using impl::jit::isa;

inline const implementation &jit_for(isa vectors) {
    const auto &all = impl::layer_norm::on_kernels;
    return all[0].name == std::string_view(impl::jit::implementation_name(vectors)) ? all[0] : all[1];
}

// Every output's values, widened to double, which is exact; empty where there is no such output.
struct outputs {
    std::vector<double> result, mean, variance, diff_scale, diff_shift, sum, found_scales, unquantized;
};

inline outputs outputs_of(const run &r) {
    return {r.result().values(),
            r.mean.values(),
            r.variance.values(),
            r.diff_scale.values(),
            r.diff_shift.values(),
            r.p.writes_sum() ? r.written_sum().values() : std::vector<double>(),
            r.p.finds_scales() ? r.dst_scale.values() : std::vector<double>(),
            r.unquantized.values()};
}

using preparation = std::function<void(run &)>; // changes inputs before they are read

inline outputs outputs_by(const implementation &entry, const setup &s, const preparation &prepare = {}) {
    EXPECT_EQ(entry.refusal(make_problem(s)), "");
    run r(s);
    if (prepare) prepare(r);
    r.execute_on(entry);
    return outputs_of(r);
}

// The definition is blind to NaN's payload and sign.
inline bool same_bits(const std::vector<double> &a, const std::vector<double> &b) {
    const auto same = [](double x, double y) {
        return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y) || (std::isnan(x) && std::isnan(y));
    };
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
}

// Empty where they are the same, else the first place where they are not.
inline std::string difference(const std::vector<double> &got, const std::vector<double> &expected) {
    if (got.size() != expected.size())
        return std::to_string(got.size()) + " elements, not " + std::to_string(expected.size());
    for (size_t i = 0; i < got.size(); ++i)
        if (!same_bits({got[i]}, {expected[i]}))
            return "element " + std::to_string(i) + " is " + testing::PrintToString(got[i]) + ", not " +
                   testing::PrintToString(expected[i]);
    return "";
}

inline void expect_same(const outputs &got, const outputs &expected, const setup &s, const std::string &what) {
    const auto compare = [&](const char *name, const std::vector<double> &a, const std::vector<double> &b) {
        EXPECT_TRUE(same_bits(a, b)) << name << ", " << what << ": " << difference(a, b) << "; " << s << ": "
                                     << describe(make_problem(s));
    };
    compare("dst or diff_src", got.result, expected.result);
    compare("mean", got.mean, expected.mean);
    compare("variance", got.variance, expected.variance);
    compare("diff_scale", got.diff_scale, expected.diff_scale);
    compare("diff_shift", got.diff_shift, expected.diff_shift);
    compare("the sum with the residual", got.sum, expected.sum);
    compare("found scales", got.found_scales, expected.found_scales);
    compare("the unquantized output", got.unquantized, expected.unquantized);
}

// Runs the reference and the kernels and compares.
inline void expect_equal_to_reference(isa vectors, const setup &s, const preparation &prepare = {}) {
    const implementation &entry = jit_for(vectors);
    expect_same(outputs_by(entry, s, prepare), outputs_by(reference_entry, s, prepare), s, entry.name);
}

// How many threads there may be, until the end of the scope.
class thread_count {
public:
    thread_count() = default;
    explicit thread_count(int threads) { set(threads); }
    thread_count(const thread_count &) = delete;
    thread_count &operator=(const thread_count &) = delete;
    ~thread_count() { set(before_); }
    void set(int threads) const { omp_set_num_threads(threads); }

private:
    const int before_ = omp_get_max_threads();
};

// Kernels with several numbers of threads, one after the other.
inline void expect_for_threads(isa vectors, const setup &s, const std::vector<int> &counts, const outputs &expected) {
    const thread_count threads;
    for (const int count : counts) {
        threads.set(count);
        expect_same(outputs_by(jit_for(vectors), s), expected, s, std::to_string(count) + " threads");
    }
}
inline void expect_equal_for_threads(isa vectors, const setup &s, const std::vector<int> &counts) {
    expect_for_threads(vectors, s, counts, outputs_by(reference_entry, s));
}

inline std::string name_of(isa vectors) { return vectors == isa::avx512 ? "avx512" : "avx2"; }

// A suite over instruction sets: a machine that lacks one says so.
class on_isa : public testing::TestWithParam<isa> {
protected:
    void SetUp() override {
        if (!impl::jit::is_allowed(GetParam())) GTEST_SKIP() << "this processor lacks " << name_of(GetParam());
    }

public:
    static std::string name(const testing::TestParamInfo<isa> &info) { return name_of(info.param); }
};

} // namespace jitnorm::tests
