// SPDX-License-Identifier: Apache-2.0
// cases: the problems whose bits are kept in digests.inc.
#pragma once

#include <string>
#include <vector>

#include "numbers.hpp"
#include "support/run.hpp"

namespace jitnorm::tests {

struct golden_case {
    setup s;
    content src = content::ordinary;
    bool runtime_sizes = false; // the primitive knows them at execution only
    bool emulated = false;      // small enough for the emulated processor
    std::string name = {};      // unique: the problem in words, and a number where those are the same
};

// In the order of the file.
std::vector<golden_case> golden_cases();

} // namespace jitnorm::tests
