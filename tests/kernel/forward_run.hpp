// SPDX-License-Identifier: Apache-2.0
// One forward problem, run by any implementation on guarded buffers, and the bits of its outputs compared.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../guarded_buffer.hpp"
#include "core/executor.hpp"
#include "core/problem.hpp"
#include "forward/jit_forward.hpp"
#include "jit/isa.hpp"
#include "reference/reference_entry.hpp"

namespace jitnorm::tests {

using enum impl::layer_norm::slot;
using impl::layer_norm::post_op_slot;

using impl::bytes;
using impl::dim_t;
using impl::jit::isa;
using impl::layer_norm::implementation;
using impl::layer_norm::problem;

inline const implementation &jit_forward(isa vectors) {
    using namespace impl::layer_norm;
    return vectors == isa::avx512 ? jit_avx512_forward : jit_avx2_forward;
}

inline std::string name_of(isa vectors) { return vectors == isa::avx512 ? "avx512" : "avx2"; }

inline problem forward_problem(dim_t rows, dim_t columns, unsigned flags,
                               jitnorm_prop_kind_t kind = jitnorm_forward_training) {
    const dim_t dims[] = {rows, columns};
    problem p;
    p.prop_kind = kind;
    p.flags = flags;
    p.epsilon = 1e-5F;
    p.src = p.dst = impl::make_dense(dims, jitnorm_f32);
    p.statistics = impl::make_dense(std::span(dims, 1), jitnorm_f32);
    return p;
}

// The inputs of a problem, in plain vectors that cover each tensor from its first to its last byte.
struct forward_inputs {
    std::vector<float> src, mean, variance, scale, shift;
};

inline forward_inputs random_inputs(const problem &p, unsigned seed, float mean = 3, float deviation = 2) {
    std::mt19937 generator(seed);
    const auto fill = [&](size_t count, float center, float width) {
        std::normal_distribution<float> value(center, width);
        std::vector<float> values(count);
        for (float &v : values) v = value(generator);
        return values;
    };
    const auto statistics = bytes(p.statistics) / sizeof(float);
    forward_inputs in{fill(bytes(p.src) / sizeof(float), mean, deviation), fill(statistics, mean, 0.1F),
                      fill(statistics, deviation * deviation, 0.1F), fill(size_t(p.row_length()), 1, 0.5F),
                      fill(size_t(p.row_length()), 0, 0.5F)};
    for (float &v : in.variance) v = std::abs(v);
    return in;
}

// What an execution wrote, canaries between rows included.
struct forward_outputs {
    std::vector<unsigned char> dst, mean, variance;
    bool operator==(const forward_outputs &) const = default;
};

namespace detail {

inline guarded_buffer guarded(const std::vector<float> &values, guard_side side, bool read_only) {
    guarded_buffer buffer(values.size() * sizeof(float), side);
    if (!values.empty()) std::memcpy(buffer.data(), values.data(), buffer.bytes());
    if (read_only) buffer.make_read_only();
    return buffer;
}

inline std::vector<unsigned char> contents(const guarded_buffer &buffer) {
    EXPECT_TRUE(buffer.slack_untouched());
    return {buffer.as<unsigned char>(), buffer.as<unsigned char>() + buffer.bytes()};
}

} // namespace detail

struct run_options {
    guard_side side = guard_side::after;
    bool in_place = false;
};

inline forward_outputs run(const implementation &entry, const problem &p, const forward_inputs &in,
                           run_options options = {}) {
    using detail::contents;
    using detail::guarded;
    EXPECT_EQ(entry.refusal(p), "");
    const bool given = p.statistics_are_inputs();
    const auto src = guarded(in.src, options.side, !options.in_place);
    const guarded_buffer own_dst(options.in_place ? 0 : bytes(p.dst), options.side);
    const auto scale = guarded(in.scale, options.side, true), shift = guarded(in.shift, options.side, true);
    const auto mean = given ? guarded(in.mean, options.side, true) : guarded_buffer(bytes(p.statistics), options.side);
    const auto variance =
        given ? guarded(in.variance, options.side, true) : guarded_buffer(bytes(p.statistics), options.side);
    const guarded_buffer &dst = options.in_place ? src : own_dst;
    const guarded_buffer scratchpad(entry.scratchpad_bytes(p), guard_side::before);

    impl::layer_norm::arguments args;
    args.set(SRC, src.data());
    args.set(DST, dst.data());
    if (p.uses_mean()) args.set(MEAN, mean.data());
    if (p.uses_variance()) args.set(VARIANCE, variance.data());
    if (p.uses_scale()) args.set(SCALE, scale.data());
    if (p.uses_shift()) args.set(SHIFT, shift.data());
    args.set(SCRATCHPAD, scratchpad.data());
    EXPECT_EQ(entry.create(p)->execute(args), jitnorm_success);
    return {contents(dst), contents(mean), contents(variance)};
}

// The definition is blind to NaN's payload and sign.
inline bool same_bits(const std::vector<unsigned char> &a, const std::vector<unsigned char> &b) {
    if (a.size() != b.size()) return false;
    if (a == b) return true;
    for (size_t i = 0; i + sizeof(float) <= a.size(); i += sizeof(float)) {
        float x = 0, y = 0;
        std::memcpy(&x, a.data() + i, sizeof x);
        std::memcpy(&y, b.data() + i, sizeof y);
        const bool both_nan = x != x && y != y;
        if (!both_nan && std::memcmp(&x, &y, sizeof x) != 0) return false;
    }
    return true;
}

inline void expect_same(const forward_outputs &got, const forward_outputs &expected, const problem &p,
                        const std::string &what) {
    EXPECT_TRUE(same_bits(got.dst, expected.dst)) << "dst, " << what << ": " << describe(p);
    EXPECT_TRUE(same_bits(got.mean, expected.mean)) << "mean, " << what << ": " << describe(p);
    EXPECT_TRUE(same_bits(got.variance, expected.variance)) << "variance, " << what << ": " << describe(p);
}

// Runs the reference and the kernels and compares.
inline void expect_equal_to_reference(isa vectors, const problem &p, const forward_inputs &in,
                                      run_options options = {}) {
    const auto expected = run(impl::layer_norm::reference_entry, p, in, options);
    expect_same(run(jit_forward(vectors), p, in, options), expected, p, name_of(vectors));
}

// A suite over instruction sets: a machine that lacks one says so.
class forward_on : public testing::TestWithParam<isa> {
protected:
    void SetUp() override {
        if (!impl::jit::is_allowed(GetParam())) GTEST_SKIP() << "this processor lacks " << name_of(GetParam());
    }
};

inline std::string isa_name(const testing::TestParamInfo<isa> &info) { return name_of(info.param); }

} // namespace jitnorm::tests
