// SPDX-License-Identifier: Apache-2.0
// Chosen by structure: rows around every edge of vectors, blocks and chunks, each flag, pair of types, kind of layout,
// post-op and way through the executors at least once, in more than one type where the code differs.
#include "cases.hpp"

namespace jitnorm::tests {

namespace {

// Bochs 2.7 rounds numbers halfway between two of f16 away from zero, where processors take the even one.
bool writes_f16(const setup &s) {
    const auto types = {s.dst_type, s.diff_src_type, s.statistics_type, s.affine_type, s.gradient_type};
    return std::find(types.begin(), types.end(), F16) != types.end();
}

const char *content_of(const golden_case &c) {
    static const char *const NAMES[] = {"",      " constant", " huge_mean", " outlier",  " ramp",
                                        " huge", " tiny",     " denormal",  " infinite", " mixed"};
    return NAMES[size_t(c.src)];
}

} // namespace

std::vector<golden_case> golden_cases() {
    list cases;
    for (const auto add : {add_forward, add_backward, add_fused}) add(cases);
    for (golden_case &c : cases) {
        c.name = text_of(c.s) + (c.runtime_sizes ? " runtime_sizes" : "") + content_of(c) + " seed " +
                 std::to_string(c.s.seed);
        c.emulated = c.emulated && !writes_f16(c.s);
    }
    return cases;
}

} // namespace jitnorm::tests
