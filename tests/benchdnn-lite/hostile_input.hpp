// SPDX-License-Identifier: Apache-2.0
// hostile_input: what the parser promises for whatever it is given.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace benchdnn_lite {

struct broken_promise : std::logic_error {
    using std::logic_error::logic_error;
};

// As a batch file has them, behind --lnorm.
std::vector<std::string> arguments_in(std::string_view text);

// Parses the arguments. They are a mistake, told in one line, which is the answer; or they make problems whose lines
// make them again, and the answer is empty. Throws broken_promise, or whatever else than input_error the parser throws.
std::string mistake_in_hostile(const std::vector<std::string> &arguments);

} // namespace benchdnn_lite
