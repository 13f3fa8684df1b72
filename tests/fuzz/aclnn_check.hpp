// SPDX-License-Identifier: Apache-2.0
// aclnn_check: checks the second of two calls by the formulas.
#pragma once

#include "aclnn_choice.hpp"
#include "check.hpp"

namespace jitnorm::fuzz {

// The elements of each tensor before and after, in the order of the operation's parameters. Empty: there is no tensor.
void check_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after);

} // namespace jitnorm::fuzz
