// SPDX-License-Identifier: Apache-2.0
// What backward calls a gradient is one. Problems are drawn at random, with all that attributes put before the
// normalization, and each output of backward is compared with differences of forward: of the sum of its outputs, each
// times the gradient that backward is given. Everything is in f64, but for the statistics between the two.
#include <cmath>
#include <random>

#include "row_tensors.hpp"

using namespace jitnorm::tests;

namespace {

const dims CUBE = {2, 3, 5};
constexpr auto F64 = jitnorm_f64;

struct drawn {
    unsigned flags = 0, residual_flags = 0;
    unsigned scale = 0, gate = 0; // masks: the row dimensions along which they change
    bool has_residual = false, has_bias = false, has_gate = false, has_diff_sum = false;
};

std::ostream &operator<<(std::ostream &out, const drawn &d) {
    return out << "flags " << d.flags << ", scale " << d.scale << (d.has_residual ? ", residual " : ", ")
               << d.residual_flags << (d.has_bias ? ", bias" : "") << (d.has_gate ? ", gate " : ", ") << d.gate
               << (d.has_diff_sum ? ", the sum's gradient" : "");
}

class drawing {
public:
    drawn next() {
        drawn d;
        for (const auto flag : {jitnorm_use_scale, jitnorm_use_shift, jitnorm_rms_norm, jitnorm_inverse_deviation})
            if (toss()) d.flags |= unsigned(flag);
        if ((d.flags & jitnorm_use_scale) != 0 && toss()) d.flags |= jitnorm_scale_plus_one;
        d.scale = random_() % 4;
        d.has_residual = random_() % 8 != 0;
        if (!d.has_residual) return d;
        d.residual_flags = random_() % 4;
        d.has_bias = toss();
        d.has_gate = toss();
        d.gate = random_() % 4;
        d.has_diff_sum = toss();
        return d;
    }

private:
    bool toss() { return random_() % 2 == 0; }
    std::mt19937 random_ = std::mt19937(48); // whose sequence the standard prescribes
};

class problem_pair {
public:
    explicit problem_pair(const drawn &d) : drawn_(d), forward_(forward_pd()) {
        for (auto &[arg, tensor] : forward_.tensors()) fill(forward_, arg, unsigned(arg));
        EXPECT_OK(forward_.run());
    }

    jitnorm_status_t create_backward(owned_pd &pd) const {
        const owned_attr attr = attributes(drawn_.has_diff_sum);
        return backward_request{.diff_src = data_,
                                .diff_dst = data_,
                                .src = data_,
                                .diff_scale_shift_type = F64,
                                .scale_shift_type = F64,
                                .flags = drawn_.flags,
                                .attr = attr}
            .create(&pd);
    }

    void expect_derivatives(const owned_pd &pd) {
        execution backward(pd);
        give_results_to(backward);
        ASSERT_OK(backward.run());
        expect_derivative(backward, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_SCALE);
        expect_derivative(backward, JITNORM_ARG_DIFF_SHIFT, JITNORM_ARG_SHIFT);
        expect_derivative(backward, JITNORM_ARG_DIFF_SRC_1, JITNORM_ARG_SRC);
        expect_derivative(backward, JITNORM_ARG_DIFF_SRC_2, JITNORM_ARG_SRC_2);
        if (drawn_.has_residual) expect_derivative(backward, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_SRC_1);
        if (!drawn_.has_gate) expect_derivative(backward, JITNORM_ARG_DIFF_SRC, JITNORM_ARG_SRC);
    }

private:
    static void fill(execution &e, int arg, unsigned seed) {
        const auto type = type_of(e, arg);
        bytes &to = e.tensors().at(arg).bytes;
        to = as(type, normal(jitnorm_dim_t(to.size() / jitnorm_data_type_size(type)), 0.5, 1, seed));
        EXPECT_OK(jitnorm_memory_set_data_handle(e.tensors().at(arg).memory, to.data()));
    }

    owned_attr attributes(bool has_sum) const {
        owned_attr attr = make_attr();
        const owned_md scale = make_md(masked(CUBE, drawn_.scale), F64), gate = make_md(masked(CUBE, drawn_.gate), F64);
        EXPECT_OK(jitnorm_primitive_attr_set_scale_shift_descs(attr, scale, scale));
        if (drawn_.has_residual) {
            // A sum that is rounded needs a tensor; backward has none for it.
            const unsigned flags = has_sum ? drawn_.residual_flags : drawn_.residual_flags & ~1U;
            EXPECT_OK(jitnorm_primitive_attr_set_residual(attr, data_, has_sum ? data_.get() : nullptr,
                                                          drawn_.has_bias ? jitnorm_f32 : NO_BIAS, flags));
        }
        if (drawn_.has_gate) must(jitnorm_primitive_attr_set_residual_gate(attr, gate), "a gate");
        return attr;
    }

    owned_pd forward_pd() const {
        const owned_attr attr = attributes(true);
        return forward_request{.src = data_, .dst = data_, .scale_shift_type = F64, .flags = drawn_.flags, .attr = attr}
            .make();
    }

    void give_results_to(execution &backward) {
        const int x = drawn_.has_residual ? JITNORM_ARG_DST_1 : JITNORM_ARG_SRC;
        for (auto &[arg, tensor] : backward.tensors()) {
            const int from = arg == JITNORM_ARG_SRC ? x : arg == JITNORM_ARG_SRC_1 ? JITNORM_ARG_SRC : arg;
            if (arg == JITNORM_ARG_DIFF_DST || arg == JITNORM_ARG_DIFF_DST_1)
                fill(backward, arg, unsigned(arg));
            else if (forward_.tensors().contains(from))
                std::ranges::copy(forward_.tensors().at(from).bytes, tensor.bytes.begin());
        }
        of_dst_ = backward.get<double>(JITNORM_ARG_DIFF_DST);
        of_sum_.clear();
        if (backward.tensors().contains(JITNORM_ARG_DIFF_DST_1)) of_sum_ = backward.get<double>(JITNORM_ARG_DIFF_DST_1);
    }

    // The sum whose derivatives the outputs of backward are.
    double weighted_sum() {
        EXPECT_OK(forward_.run());
        double sum = 0;
        for (size_t i = 0; i < of_dst_.size(); ++i) sum += of_dst_[i] * forward_.data<double>(JITNORM_ARG_DST)[i];
        for (size_t i = 0; i < of_sum_.size(); ++i) sum += of_sum_[i] * forward_.data<double>(JITNORM_ARG_DST_1)[i];
        return sum;
    }

    void expect_derivative(execution &backward, int gradient, int of) {
        if (!backward.tensors().contains(gradient)) return;
        const std::vector<double> got = backward.get<double>(gradient);
        auto *const input = forward_.data<double>(of);
        for (size_t i = 0; i < got.size(); ++i) {
            constexpr double STEP = 1e-5;
            const double kept = input[i];
            input[i] = kept + STEP;
            const double above = weighted_sum();
            input[i] = kept - STEP;
            const double below = weighted_sum();
            input[i] = kept;
            const double expected = (above - below) / (2 * STEP);
            ASSERT_NEAR(got[i], expected, 1e-5 * (1 + std::fabs(expected)))
                << "argument " << gradient << ", the gradient of argument " << of << ", element " << i;
        }
    }

    const drawn drawn_;
    const owned_md data_ = make_md(CUBE, F64);
    execution forward_;
    std::vector<double> of_dst_, of_sum_;
};

TEST(derivatives, are_what_backward_calls_gradients) {
    drawing draw;
    int checked = 0;
    for (int i = 0; i < 400 && !HasFailure(); ++i) {
        const drawn d = draw.next();
        SCOPED_TRACE(testing::Message() << d);
        problem_pair pair(d);
        owned_pd pd;
        const jitnorm_status_t status = pair.create_backward(pd);
        if (status == jitnorm_unimplemented) {
            EXPECT_NE(d.residual_flags & jitnorm_residual_mul_silu, 0U) << jitnorm_get_last_error();
            continue;
        }
        ASSERT_OK(status);
        pair.expect_derivatives(pd);
        ++checked;
    }
    EXPECT_GE(checked, 200);
}

} // namespace
