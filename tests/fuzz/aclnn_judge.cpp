// SPDX-License-Identifier: Apache-2.0
#include "aclnn_judge.hpp"

namespace jitnorm::fuzz {

namespace {

using enum aclnn_operation;
constexpr size_t NONE = SIZE_MAX;

// Where the tensors of an operation are among its parameters.
struct places {
    size_t src = NONE, residual = NONE, bias = NONE, scale = NONE, shift = NONE;
    size_t dst = NONE, mean = NONE, inverse_deviation = NONE, sum = NONE;
    size_t diff_dst = NONE, diff_src = NONE, diff_scale = NONE, diff_shift = NONE;
    size_t smooth[2] = {NONE, NONE}, quantized[2] = {NONE, NONE}, scales[2] = {NONE, NONE};
};

places places_of(aclnn_operation op) {
    switch (op) {
    case layer_norm:
        return {.src = 0, .scale = 1, .shift = 2, .dst = 3, .mean = 4, .inverse_deviation = 5};
    case layer_norm_backward:
        return {.src = 1,
                .scale = 4,
                .mean = 2,
                .inverse_deviation = 3,
                .diff_dst = 0,
                .diff_src = 6,
                .diff_scale = 7,
                .diff_shift = 8};
    case rms_norm:
    case gemma_rms_norm:
        return {.src = 0, .scale = 1, .dst = 2, .inverse_deviation = 3};
    case rms_norm_grad:
        return {.src = 1, .scale = 3, .inverse_deviation = 2, .diff_dst = 0, .diff_src = 4, .diff_scale = 5};
    case add_rms_norm:
        return {.src = 0, .residual = 1, .scale = 2, .dst = 3, .inverse_deviation = 4, .sum = 5};
    case add_layer_norm:
        return {.src = 0,
                .residual = 1,
                .bias = 4,
                .scale = 2,
                .shift = 3,
                .dst = 5,
                .mean = 6,
                .inverse_deviation = 7,
                .sum = 8};
    case rms_norm_dynamic_quant:
        return {.src = 0, .scale = 1, .shift = 3, .smooth = {2, NONE}, .quantized = {4, NONE}, .scales = {5, NONE}};
    default:
        return {.src = 0, .residual = 1, .scale = 2, .sum = 7, .smooth = {3, 4}, .quantized = {5, 6}, .scales = {8, 9}};
    }
}

class judged_call {
public:
    judged_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after)
        : what_(what), at_(places_of(what.op)), before_(before), after_(after) {
        if (what.op != layer_norm && what.op != layer_norm_backward && what.op != add_layer_norm)
            n_.flags |= jitnorm_rms_norm;
        if (what.op == gemma_rms_norm) n_.flags |= jitnorm_scale_plus_one;
        n_.scale = input(at_.scale);
        n_.shift = input(at_.shift);
        n_.diff_dst = input(at_.diff_dst);
        n_.columns = number_of_columns();
        n_.src = sum_of(input(at_.src), input(at_.residual), bias(), false);
        n_.rows = n_.src.size() / n_.columns;
        n_.epsilon = is_backward() ? 0 : double(float(what.epsilon));
        if (!is_backward()) return;
        n_.mean = input(at_.mean);
        n_.variance = variances_of(input(at_.inverse_deviation));
    }

    void judge() {
        if (what_.additional_output) near("sum", at_.sum, exactly(n_.src));
        for (const size_t smooth : at_.smooth)
            if (!are_ordinary(input(smooth))) return;
        const std::optional<answers> exact = telling_answers(n_);
        if (!exact) return;
        near("dst", at_.dst, exact->dst);
        if (!is_backward()) {
            near("mean", at_.mean, exact->mean);
            near("rstd", at_.inverse_deviation, exact->inverse_deviation);
        }
        const auto is_wanted = [&](size_t i) { return what_.op != layer_norm_backward || what_.output_mask[i] != 0; };
        if (is_wanted(0)) near("diff_src", at_.diff_src, exact->diff_src);
        if (is_wanted(1)) near("diff_scale", at_.diff_scale, exact->diff_scale);
        if (is_wanted(2)) near("diff_shift", at_.diff_shift, exact->diff_shift);
        for (size_t i = 0; i < 2; ++i) judge_quantized(i, exact->dst);
        count(is_backward() ? "judged backward" : "judged forward");
        if (at_.residual != NONE) count("judged residuals");
    }

private:
    bool is_backward() const { return at_.diff_dst != NONE; }
    numbers input(size_t place) const { return place == NONE ? numbers{} : before_[place]; }

    size_t number_of_columns() const {
        if (what_.op != layer_norm && what_.op != layer_norm_backward) return n_.scale.size();
        int64_t count = 1;
        for (const int64_t dim : what_.normalized_shape) count *= dim;
        return size_t(count);
    }
    numbers bias() const {
        const numbers values = input(at_.bias);
        return values.empty() ? values : broadcast(values, what_.tensors[at_.bias].dims, what_.tensors[at_.src].dims);
    }
    void near(const char *name, size_t place, const expectations &expected) const {
        if (place == NONE || after_[place].empty()) return;
        require_near(name, expected, what_.tensors[place].core_type(), after_[place], n_.unit());
    }

    // The first without a smooth scale, too, the second with one only.
    void judge_quantized(size_t i, expectations values) const {
        const numbers smooth = input(at_.smooth[i]);
        if (at_.quantized[i] == NONE || (i == 1 && smooth.empty())) return;
        if (!smooth.empty())
            apply(values, benchdnn_lite::binary_post_op{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}},
                  broadcast(smooth, {int64_t(n_.columns)}, {int64_t(n_.rows), int64_t(n_.columns)}), n_.unit());
        require_scales("scales", values, n_.columns, what_.tensors[at_.quantized[i]].core_type(),
                       after_[at_.scales[i]]);
        near("quantized", at_.quantized[i], values);
        count("judged dynamic scales");
    }

    const aclnn_choice &what_;
    const places at_;
    const std::vector<numbers> &before_, &after_;
    oracle_problem n_;
};

} // namespace

void judge_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after) {
    if (!before[places_of(what.op).src].empty()) judged_call(what, before, after).judge();
}

} // namespace jitnorm::fuzz
