// SPDX-License-Identifier: Apache-2.0
// Reads and writes the value of --attr-fpmath.
#include "fpmath.hpp"

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

constexpr std::string_view MODES[] = {"strict", "bf16", "f16", "any", "tf32"}; // in the order of their enumerators

} // namespace

fpmath parse_fpmath(std::string_view text) {
    const std::vector<std::string> fields = split(text, ':');
    if (fields.size() > 2) throw input_error("'", text, "' is not of the form MODE[:FOR_INTEGERS]");
    const bool for_integers = fields.size() == 2 && parse_bool(fields[1]);
    for (size_t i = 0; i < std::size(MODES); ++i)
        if (MODES[i] == fields[0]) return {jitnorm_fpmath_mode_t(i), for_integers};
    throw input_error("'", fields[0], "' is no floating-point mode: strict, bf16, f16, tf32, any");
}

std::string to_text(const fpmath &f) { return concat(MODES[size_t(f.mode)], f.for_integers ? ":true" : ""); }

} // namespace benchdnn_lite
