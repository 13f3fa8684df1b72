// SPDX-License-Identifier: Apache-2.0
// Checks the elements of one tensor.
#include "compare.hpp"

#include <algorithm>
#include <cmath>

#include "../text.hpp"

namespace benchdnn_lite {

namespace {

// The value after saturation, which is the closest that a result can come to it: integers and f8 clamp it, and NaN
// becomes 0 in integers.
real reachable(data_type type, real value) {
    if (!is_integer(type) && !is_f8(type)) return value;
    if (std::isnan(value)) return is_integer(type) ? 0 : value;
    return std::clamp(value, real(lowest(type)), real(largest(type)));
}

// Whether the value may round to infinity: a floating-point type does so from half an ulp above its largest value on.
bool may_overflow(data_type type, const expectation &e) {
    return std::abs(e.value) + e.tolerance >= real(largest(type)) + real(half_ulp(type, largest(type)));
}

// The largest allowed difference of the result from the expected value.
real allowed_error(data_type type, const expectation &e) {
    const real magnitude = std::min(std::abs(e.value) + e.tolerance, real(largest(type)));
    return e.tolerance + real(half_ulp(type, double(magnitude)));
}

real excess_of(data_type type, const expectation &e, double got) {
    const real error = std::abs(reachable(type, e.value) - got), allowed = allowed_error(type, e);
    return std::isnan(error) || allowed == 0 ? INFINITE : error / allowed;
}

// The name of an element, like "dst[3,7]".
std::string element_name(const std::string &tensor, const std::vector<dim_t> &position) {
    std::string indices;
    for (size_t d = 0; d < position.size(); ++d) indices += concat(d ? "," : "", std::to_string(position[d]));
    return concat(tensor, "[", indices, "]");
}

} // namespace

bool is_acceptable(data_type type, const expectation &e, double got) {
    if (std::isinf(e.tolerance)) return true; // such as the result of a function at the edge of its domain
    const real value = reachable(type, e.value);
    if (std::isnan(value)) return std::isnan(got);
    if (std::isnan(e.value)) return got == value;
    if (std::isinf(got) && may_overflow(type, e)) return std::signbit(got) == std::signbit(value);
    if (std::isinf(value)) return got == value;
    const real rounding = allowed_error(type, e) - e.tolerance;
    const real least = reachable(type, e.value - e.tolerance), most = reachable(type, e.value + e.tolerance);
    return got >= least - rounding && got <= most + rounding; // false if `got` is a NaN
}

bool is_exact(data_type type, const expectation &e, double got) { return got == round_to(type, double(e.value)); }

void comparison::range::widen(dim_t value) {
    if (value < 0) return;
    least = least < 0 ? value : std::min(least, value);
    most = std::max(most, value);
}

void comparison::add(dim_t number, const expectation &e, double got) {
    ++total_;
    const real excess = excess_of(shape_.type, e, got);
    if (how_.accepts(shape_.type, e, got)) {
        if (std::isfinite(excess)) worst_accepted_ = std::max(worst_accepted_, excess);
        return;
    }
    ++errors_;
    const dim_t columns = shape_.dims.back();
    rows_.widen(number / columns);
    columns_.widen(number % columns);
    if (excess > worst_.excess) worst_ = {excess, number, e, got};
}

void comparison::merge(const comparison &other) {
    errors_ += other.errors_;
    total_ += other.total_;
    worst_accepted_ = std::max(worst_accepted_, other.worst_accepted_);
    if (other.worst_.excess > worst_.excess) worst_ = other.worst_;
    for (const dim_t row : {other.rows_.least, other.rows_.most}) rows_.widen(row);
    for (const dim_t column : {other.columns_.least, other.columns_.most}) columns_.widen(column);
    faults_.insert(faults_.end(), other.faults_.begin(), other.faults_.end());
}

std::string comparison::place() const {
    const auto bytes = size_t(shape_.offset_of(worst_.number)) * size_of(shape_.type);
    const auto text = [](const range &r) { return concat(std::to_string(r.least), " to ", std::to_string(r.most)); };
    return concat("at byte ", std::to_string(bytes), "; wrong: ", std::to_string(errors_), " of ",
                  std::to_string(total_), ", in rows ", text(rows_), ", columns ", text(columns_));
}

std::string comparison::worst_line() const {
    const real expected = worst_.expected.value, ulp = 2 * real(half_ulp(shape_.type, double(expected)));
    const real error = std::abs(reachable(shape_.type, expected) - worst_.got);
    const real allowed = allowed_error(shape_.type, worst_.expected);
    const auto in_ulps = [&](real value) { return format("%.3Lg", value) + format(" (%.3Lg ulp)", value / ulp); };
    const std::string bound = how_.rule.empty() ? concat("allowed ", in_ulps(allowed)) : how_.rule;
    const int digits = shape_.type == jitnorm_f64 ? 17 : 9;
    return concat(element_name(tensor_, position_of(worst_.number, shape_.dims)),
                  format(": expected %.*Lg, got %.*g, error ", digits, expected, digits, worst_.got), in_ulps(error),
                  ", ", bound, ", ", place());
}

std::vector<std::string> comparison::report() const {
    std::vector<std::string> lines;
    if (errors_ > 0) lines.push_back(worst_line());
    for (const std::string &fault : faults_) lines.push_back(concat(tensor_, ": ", fault));
    return lines;
}

} // namespace benchdnn_lite
