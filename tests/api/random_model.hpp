// SPDX-License-Identifier: Apache-2.0
// random_model: a layer normalization with random data, given to executions and to the oracle.
#pragma once

#include <algorithm>
#include <random>

#include "correctness/compare.hpp"
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

// Whether each number is as near to the exact one as the type of the tensor and the arithmetic allow.
template <typename Value>
bool are_near(jitnorm_data_type_t type, const std::vector<Value> &got, const expectations &expected) {
    return std::equal(got.begin(), got.end(), expected.begin(), expected.end(),
                      [&](Value value, const auto &e) { return benchdnn_lite::is_acceptable(type, e, double(value)); });
}

inline void expect_near(const std::vector<float> &got, const expectations &expected, const char *what) {
    EXPECT_TRUE(are_near(jitnorm_f32, got, expected)) << what << ", seed " << SEED;
}

struct inputs {
    std::vector<float> src = random_values(ROWS * COLUMNS, 1), scale = random_values(COLUMNS, 2);
    std::vector<float> shift = random_values(COLUMNS, 3), mean = random_values(ROWS, 4);
    std::vector<float> variance = random_values(ROWS, 5, 0.5f, 2.f), diff_dst = random_values(ROWS * COLUMNS, 6);

    answers forward(unsigned flags) const { return solve(problem(flags)); }
    answers backward(unsigned flags) const {
        oracle_problem p = problem(flags);
        p.diff_dst.assign(diff_dst.begin(), diff_dst.end());
        return solve(p);
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

private:
    oracle_problem problem(unsigned flags) const {
        const auto widened = [](const std::vector<float> &values) {
            return std::vector<double>(values.begin(), values.end());
        };
        oracle_problem p;
        p.rows = ROWS;
        p.columns = COLUMNS;
        p.epsilon = double(EPSILON);
        p.flags = flags;
        p.src = widened(src);
        if (flags & jitnorm_use_scale) p.scale = widened(scale);
        if (flags & jitnorm_use_shift) p.shift = widened(shift);
        p.mean = widened(mean);
        p.variance = widened(variance);
        return p;
    }
};

inline owned_md data_md() { return make_md({2, 3, 24}, jitnorm_f32, jitnorm_abc); }

inline owned_pd make_forward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    forward_request request{kind, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    return request.make();
}

inline owned_pd make_backward(jitnorm_prop_kind_t kind, unsigned flags, const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = data_md();
    backward_request request{kind, data, data, data};
    request.flags = flags;
    request.epsilon = EPSILON;
    request.attr = attr;
    return request.make();
}

} // namespace jitnorm::tests
