// SPDX-License-Identifier: Apache-2.0
// mutator: texts made from others by changing them a few times somewhere, the same ones for a seed; and the lines that
// the mutations of --lnorm begin with.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace benchdnn_lite {

// Of the input files in a folder and those below it, and the help's examples.
std::vector<std::string> lnorm_lines(const std::string &folder);

class mutator {
public:
    mutator(uint64_t seed, const std::vector<std::string> &lines) : numbers_(seed), lines_(lines) {}

    // A few of the lines with a few changes.
    std::string next();

private:
    size_t below(size_t end) { return end == 0 ? 0 : numbers_() % end; }
    void change(std::string &text);

    std::mt19937_64 numbers_;
    const std::vector<std::string> &lines_; // the caller's
};

} // namespace benchdnn_lite
