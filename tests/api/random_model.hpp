// SPDX-License-Identifier: Apache-2.0
// random_model: a layer normalization with random data, given to executions and to the oracle.
#pragma once

#include <random>

#include "rig/execution.hpp"
#include "rig/oracle.hpp"

namespace jitnorm::tests {

constexpr size_t ROWS = 6, COLUMNS = 24;
constexpr float EPSILON = 1e-3f;
constexpr unsigned SEED = 20;

inline std::vector<float> random_values(size_t count, unsigned salt, float low = -4.f, float high = 4.f) {
    std::mt19937 generator(SEED + salt);
    std::uniform_real_distribution<float> distribution(low, high);
    std::vector<float> values(count);
    for (float &value : values) value = distribution(generator);
    return values;
}

inline std::vector<double> widen(const std::vector<float> &values) { return {values.begin(), values.end()}; }

inline void expect_near(const std::vector<float> &got, const std::vector<double> &expected, const char *what) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    EXPECT_LE(normalized_error(got.data(), expected.data(), got.size()), 2e-6) << what << ", seed " << SEED;
}

struct inputs {
    std::vector<float> src = random_values(ROWS * COLUMNS, 1), scale = random_values(COLUMNS, 2);
    std::vector<float> shift = random_values(COLUMNS, 3), mean = random_values(ROWS, 4);
    std::vector<float> variance = random_values(ROWS, 5, 0.5f, 2.f), diff_dst = random_values(ROWS * COLUMNS, 6);

    oracle_problem<double> problem(unsigned flags) const {
        oracle_problem<double> p;
        p.rows = ROWS;
        p.columns = COLUMNS;
        p.epsilon = double(EPSILON);
        p.rms = (flags & jitnorm_rms_norm) != 0;
        p.global_statistics = (flags & jitnorm_use_global_stats) != 0;
        p.src = widen(src);
        if (flags & jitnorm_use_scale) p.scale = widen(scale);
        if (flags & jitnorm_use_shift) p.shift = widen(shift);
        p.mean = widen(mean);
        p.variance = widen(variance);
        p.diff_dst = widen(diff_dst);
        return p;
    }

    // Puts each of them where the primitive wants it.
    void give_to(execution &run, bool with_statistics) const {
        const auto give = [&](int arg, const std::vector<float> &values) {
            if (run.tensors().count(arg) != 0) run.set(arg, values);
        };
        give(JITNORM_ARG_SRC, src);
        give(JITNORM_ARG_SCALE, scale);
        give(JITNORM_ARG_SHIFT, shift);
        give(JITNORM_ARG_DIFF_DST, diff_dst);
        if (with_statistics) give(JITNORM_ARG_MEAN, mean);
        if (with_statistics) give(JITNORM_ARG_VARIANCE, variance);
    }
};

inline owned_md data_md() { return make_md({2, 3, 24}, jitnorm_f32, jitnorm_abc); }

inline owned_pd make_forward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    forward_request request{kind, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

inline owned_pd make_backward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    backward_request request{kind, data, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    owned_pd pd;
    EXPECT_OK(request.create(&pd));
    return pd;
}

} // namespace jitnorm::tests
