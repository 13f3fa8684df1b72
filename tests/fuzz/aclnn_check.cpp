// SPDX-License-Identifier: Apache-2.0
#include "aclnn_target.hpp"

namespace jitnorm::fuzz {

namespace {

using names = std::initializer_list<std::string_view>; // of a parameter, which differ between operations
constexpr size_t NONE = SIZE_MAX;

// The parameter's place; none where the operation has none of these names, or does not look at it.
size_t place_of(const aclnn_choice &what, names any) {
    for (size_t i = 0; i < what.parameters.size(); ++i)
        if (what.parameters[i].is_used() && std::ranges::find(any, what.parameters[i].name) != any.end()) return i;
    return NONE;
}

size_t place_of_src(const aclnn_choice &what) { return place_of(what, {"input", "x", "x1"}); }

class checked_call {
public:
    checked_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after)
        : what_(what), before_(before), after_(after) {
        if (is_named(*what.op, "RMS")) n_.flags |= jitnorm_rms_norm;
        if (is_named(*what.op, "Gemma")) n_.flags |= jitnorm_scale_plus_one;
        n_.scale = input({"weight", "gamma"});
        n_.shift = input({"bias", "beta", "betaOptional"});
        n_.diff_dst = input({"gradOut", "dy"});
        n_.columns = number_of_columns();
        n_.src = sum_of(before[place_of_src(what)], input({"x2"}), bias(), false);
        n_.rows = n_.src.size() / n_.columns;
        n_.epsilon = n_.is_backward() ? 0 : double(float(what.with.epsilon));
        if (!n_.is_backward()) return;
        n_.mean = input({"mean"});
        n_.variance = variances_of(input({"rstd"}));
    }

    void check() {
        near("sum", {"xOut"}, exactly(n_.src));
        const numbers smooth[] = {input({"smoothScalesOptional", "smoothScale1Optional"}),
                                  input({"smoothScale2Optional"})};
        if (!are_ordinary(smooth[0]) || !are_ordinary(smooth[1])) return;
        const std::optional<answers> exact = conditioned_answers(n_);
        if (!exact) return;
        near("mean", {"meanOut"}, exact->mean);
        near("rstd", {"rstdOut"}, exact->inverse_deviation);
        near("diff_src", {"gradInputOut", "dxOut"}, exact->diff_src);
        near("diff_scale", {"gradWeightOut", "dgammaOut"}, exact->diff_scale);
        near("diff_shift", {"gradBiasOut"}, exact->diff_shift);
        if (is_named(*what_.op, "8 bits")) {
            check_quantized(smooth[0], {"yOut", "y1Out"}, {"scaleOut", "scale1Out"}, exact->dst);
            if (!smooth[1].empty()) check_quantized(smooth[1], {"y2Out"}, {"scale2Out"}, exact->dst);
        } else {
            near("dst", {"out", "yOut"}, exact->dst);
        }
        count(n_.is_backward() ? "checked backward" : "checked forward");
        if (place_of(what_, {"x2"}) != NONE) count("checked residuals");
    }

private:
    numbers input(names any) const {
        const size_t place = place_of(what_, any);
        return place == NONE ? numbers{} : before_[place];
    }

    size_t number_of_columns() const {
        if (!is_named(*what_.op, "add") && !n_.has(jitnorm_rms_norm)) {
            int64_t count = 1;
            for (const int64_t dim : what_.normalized_shape) count *= dim;
            return size_t(count);
        }
        return n_.scale.size();
    }
    numbers bias() const {
        const size_t place = place_of(what_, {"biasOptional"});
        if (place == NONE || before_[place].empty()) return {};
        return broadcast(before_[place], what_.tensors[place].dims, what_.tensors[place_of_src(what_)].dims);
    }
    void near(const char *name, names any, const expectations &expected) const {
        const size_t place = place_of(what_, any);
        if (place == NONE || after_[place].empty()) return;
        require_near(name, expected, what_.tensors[place].core_type(), after_[place], n_.unit());
    }

    void check_quantized(const numbers &smooth, names quantized, names scales, expectations values) const {
        if (!smooth.empty())
            apply(values, benchdnn_lite::binary_post_op{jitnorm_binary_mul, jitnorm_f32, 0, {}, {}},
                  broadcast(smooth, {int64_t(n_.columns)}, {int64_t(n_.rows), int64_t(n_.columns)}), n_.unit());
        require_scales("scales", values, n_.columns, what_.tensors[place_of(what_, quantized)].core_type(),
                       after_[place_of(what_, scales)]);
        near("quantized", quantized, values);
        count("checked dynamic scales");
    }

    const aclnn_choice &what_;
    const std::vector<numbers> &before_, &after_;
    oracle_problem n_;
};

} // namespace

void check_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after) {
    // Adaptive layer normalization has several roundings (tests/aclnn/test_results.cpp).
    if (!is_named(*what.op, "adaptive") && !before[place_of_src(what)].empty())
        checked_call(what, before, after).check();
}

} // namespace jitnorm::fuzz
