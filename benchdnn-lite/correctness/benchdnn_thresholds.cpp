// SPDX-License-Identifier: Apache-2.0
// Judges layer normalization as oneDNN's benchdnn does.
#include "benchdnn_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

constexpr double F32_EPSILON = std::numeric_limits<float>::epsilon();
constexpr double F32_SMALLEST = std::numeric_limits<float>::min();

double epsilon_of(data_type type) { return is_integer(type) ? 0 : 2 * half_ulp(type, 1); }

// How many times coarser than f32 a type is.
double coarseness(data_type type) {
    if (is_integer(type)) return type == jitnorm_s8 ? 0x1p17 : 0x1p16;
    return std::max(epsilon_of(type) / F32_EPSILON, 1.0);
}

template <typename Op, typename Test>
bool any(const problem &p, Test test) {
    return std::any_of(p.attr.post_ops.begin(), p.attr.post_ops.end(), [&](const post_op &op) {
        const Op *of_kind = std::get_if<Op>(&op);
        return of_kind && test(*of_kind);
    });
}

// The attributes of a problem that make a difference above the threshold acceptable.
struct excuses {
    explicit excuses(const problem &p);
    bool eltwise, exponential, dst_scale, binary;
};

excuses::excuses(const problem &p)
    : eltwise(any<eltwise_post_op>(p, [](const eltwise_post_op &) { return true; })),
      exponential(any<eltwise_post_op>(p, [](const auto &op) { return op.algorithm == jitnorm_eltwise_exp; })),
      dst_scale(p.attr.scales.dst.has_value()), binary(any<binary_post_op>(p, [](const binary_post_op &op) {
          return op.algorithm == jitnorm_binary_add || op.algorithm == jitnorm_binary_mul ||
                 op.algorithm == jitnorm_binary_sub || op.algorithm == jitnorm_binary_div;
      })) {
    // This rule is ours, not benchdnn's: a sum cancels as an addition does.
    binary |= any<sum_post_op>(p, [](const sum_post_op &) { return true; });
}

struct difference {
    double exact, expected, got; // expected: exact, rounded to the type
    double absolute() const { return std::abs(expected - got); }
    double relative() const { return absolute() / (std::abs(expected) > F32_SMALLEST ? std::abs(expected) : 1); }
};

bool is_excused(const excuses &e, data_type type, const difference &d) {
    const double epsilon = epsilon_of(type);
    if (e.eltwise && (d.absolute() <= std::max(epsilon, 2e-5) || d.relative() <= std::max(epsilon, 8e-6))) return true;
    if (e.eltwise && (e.exponential || std::abs(d.expected) > 1e5) && d.relative() <= std::max(epsilon, 5e-6))
        return true;
    if (e.dst_scale && d.relative() <= std::max(epsilon, 1e-5)) return true;
    if (!e.binary) return false;
    if (type == jitnorm_f16) return d.absolute() <= 5e-3;
    return type == jitnorm_f32 && (d.absolute() <= 4e-6 || d.relative() <= 1e-5);
}

// Whether the exact value lies half way between two integers, and the result is one of them.
bool is_rounded_either_way(data_type type, const difference &d) {
    const double low = std::floor(d.exact);
    return is_integer(type) && std::abs(low + 0.5 - d.exact) < 9e-6 && (d.got == low || d.got == low + 1);
}

// Whether the shift cancels most of the product, and the difference is small enough relative to the product.
bool is_cancelled(const difference &d, double shift, double threshold) {
    const double product = std::abs(d.expected - shift);
    if (product <= (std::abs(d.expected) > F32_SMALLEST ? std::abs(d.expected) : 1)) return false;
    return d.absolute() / (product > F32_SMALLEST ? product : 1) <= threshold;
}

bool is_close(data_type type, const difference &d, double threshold) {
    if (std::isnan(d.exact)) return is_integer(type) || std::isnan(d.got);
    if (d.expected == d.got) return true;
    const bool small = std::abs(d.expected) <= 1e-5;
    return (small && d.absolute() < F32_EPSILON) || (small ? d.absolute() : d.relative()) <= threshold;
}

// The share of zeros up to which results are trusted. It is larger for u8 and after functions that may turn half of the
// values into zeros.
double zeros_limit(const problem &p, data_type type) {
    const bool cuts = any<eltwise_post_op>(p, [](const eltwise_post_op &op) {
        if (op.algorithm == jitnorm_eltwise_abs) return true;
        return op.alpha == 0 && (op.algorithm == jitnorm_eltwise_relu || op.algorithm == jitnorm_eltwise_elu ||
                                 op.algorithm == jitnorm_eltwise_clip || op.algorithm == jitnorm_eltwise_clip_v2);
    });
    return type == jitnorm_u8 ? 0.6 : cuts ? 0.65 : 0.3;
}

std::string rule(const char *what, double threshold) { return concat(what, " ", to_text(float(threshold))); }

acceptance of_elements(const execution &e, const argument &output, double threshold) {
    const data_type type = output.data.type();
    const bool is_dst = output.id == JITNORM_ARG_DST, is_normalized = is_dst || output.id == JITNORM_ARG_DST_2;
    const bool has_shift = is_normalized && e.has(JITNORM_ARG_SHIFT);
    const excuses excused(e.prb());
    const dim_t columns = e.prb().row_length();
    acceptance how{rule("benchdnn's relative threshold", threshold), {}, 0, zeros_limit(e.prb(), type)};
    how.element = [=, &e](dim_t number, const expectation &expected, double got) {
        const double exact = double(float(expected.value));
        const difference d{exact, round_to(type, exact), got};
        if (is_close(type, d, threshold)) return true;
        if (has_shift && is_cancelled(d, e.data(JITNORM_ARG_SHIFT).at(number % columns), threshold)) return true;
        return is_normalized && ((is_dst && is_excused(excused, type, d)) || is_rounded_either_way(type, d));
    };
    return how;
}

} // namespace

acceptance benchdnn_acceptance(const execution &e, const argument &output) {
    const problem &p = e.prb();
    if (output.id == JITNORM_ARG_DST || output.id == JITNORM_ARG_DST_2)
        return of_elements(e, output, coarseness(output.data.type()) * 5e-7);
    if (p.is_forward()) return of_elements(e, output, 0);
    const double limit =
        output.id == JITNORM_ARG_DIFF_SRC ? coarseness(p.types.diff_src) * 5e-7 : coarseness(p.types.src) * 5e-6;
    return {rule("benchdnn's threshold for it", limit), {}, limit};
}

} // namespace benchdnn_lite
