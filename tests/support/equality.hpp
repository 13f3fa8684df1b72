// SPDX-License-Identifier: Apache-2.0
// equality: runs a problem, forward or backward, on kernels and on the reference, and compares the bits of all that it
// writes.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "jit/isa.hpp"
#include "run.hpp"

namespace jitnorm::tests {

using impl::jit::isa;

const implementation &jit_for(isa vectors);

// The values of every output, widened to double, which is exact. Empty: there is no such output.
struct outputs {
    std::vector<double> &operator[](slot s) { return tensors[size_t(s)]; }
    const std::vector<double> &operator[](slot s) const { return tensors[size_t(s)]; }
    const std::vector<double> &result() const { return (*this)[DST].empty() ? (*this)[DIFF_SRC] : (*this)[DST]; }

    std::array<std::vector<double>, impl::layer_norm::FIRST_POST_OP> tensors;
};

outputs outputs_of(const run &r);

using preparation = std::function<void(run &)>; // changes the inputs of a run before it executes

outputs outputs_by(const implementation &entry, const setup &s, const preparation &prepare = {});

// A NaN equals any NaN, because the definition of results leaves its payload and sign open.
bool same_bits(const std::vector<double> &a, const std::vector<double> &b);

void expect_same(const outputs &got, const outputs &expected, const setup &s, const std::string &what);

// Runs the reference and the kernels and compares.
void expect_equal_to_reference(isa vectors, const setup &s, const preparation &prepare = {});

// Sets the number of threads that OpenMP may use; the destructor restores it.
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

inline std::string name_of(isa vectors) { return vectors == isa::avx512 ? "avx512" : "avx2"; }

// A suite for several instruction sets. Its tests are skipped, with a message, if the processor lacks their set.
class on_isa : public testing::TestWithParam<isa> {
protected:
    void SetUp() override {
        if (!impl::jit::is_allowed(GetParam())) GTEST_SKIP() << "this processor lacks " << name_of(GetParam());
    }

public:
    static std::string name(const testing::TestParamInfo<isa> &info) { return name_of(info.param); }
};

} // namespace jitnorm::tests
