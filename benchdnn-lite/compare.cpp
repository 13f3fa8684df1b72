// SPDX-License-Identifier: Apache-2.0
// Judges the elements of one tensor.
#include "compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "text.hpp"

namespace benchdnn_lite {

namespace {

constexpr real INFINITE = std::numeric_limits<real>::infinity();

// The value that the type can come closest to.
real reachable(data_type type, real value) {
    if (!is_integer(type)) return value;
    return std::isnan(value) ? 0 : std::clamp(value, real(lowest(type)), real(largest(type)));
}

// A floating-point type rounds to infinity from half an ulp beyond its largest value on.
bool may_overflow(data_type type, const expectation &e) {
    return std::abs(e.value) + e.tolerance >= real(largest(type)) + real(half_ulp(type, largest(type)));
}

real excess_of(data_type type, const expectation &e, double got) {
    const real error = std::abs(reachable(type, e.value) - got), allowed = allowed_error(type, e);
    return std::isnan(error) || allowed == 0 ? INFINITE : error / allowed;
}

std::string element_name(const std::string &tensor, const std::vector<dim_t> &position) {
    std::string indices;
    for (size_t d = 0; d < position.size(); ++d) indices += concat(d ? "," : "", std::to_string(position[d]));
    return concat(tensor, "[", indices, "]");
}

} // namespace

real allowed_error(data_type type, const expectation &e) {
    const real magnitude = std::min(std::abs(e.value) + e.tolerance, real(largest(type)));
    return e.tolerance + real(half_ulp(type, double(magnitude)));
}

bool is_acceptable(data_type type, const expectation &e, double got) {
    if (std::isinf(e.tolerance)) return true; // a function at the edge of its domain
    const real value = reachable(type, e.value);
    if (std::isnan(value)) return std::isnan(got);
    if (std::isnan(e.value)) return got == value;
    if (std::isinf(got) && may_overflow(type, e)) return std::signbit(got) == std::signbit(value);
    if (std::isinf(value)) return got == value;
    const real rounding = allowed_error(type, e) - e.tolerance;
    const real least = reachable(type, e.value - e.tolerance), most = reachable(type, e.value + e.tolerance);
    return got >= least - rounding && got <= most + rounding; // false for a NaN
}

void comparison::add(dim_t number, const expectation &e, double got) {
    ++total_;
    if (is_acceptable(shape_.type, e, got)) return;
    ++errors_;
    const real excess = excess_of(shape_.type, e, got);
    if (errors_ > 1 && !(excess > worst_excess_)) return;
    worst_excess_ = excess;
    worst_ = number;
    worst_expectation_ = e;
    worst_got_ = got;
}

std::vector<std::string> comparison::report() const {
    std::vector<std::string> lines;
    if (errors_ > 0) {
        const real expected = worst_expectation_.value;
        char text[256];
        std::snprintf(text, sizeof text, ": expected %.9Lg, got %.9g, error %.3Lg, allowed %.3Lg; %zu of %zu wrong",
                      expected, worst_got_, std::abs(reachable(shape_.type, expected) - worst_got_),
                      allowed_error(shape_.type, worst_expectation_), errors_, total_);
        lines.push_back(element_name(tensor_, position_of(worst_, shape_.dims)) + text);
    }
    for (const std::string &fault : faults_) lines.push_back(concat(tensor_, ": ", fault));
    return lines;
}

} // namespace benchdnn_lite
