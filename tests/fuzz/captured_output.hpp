// SPDX-License-Identifier: Apache-2.0
// captured_output: what a command line prints on standard output and on standard error.
#pragma once

#include <string>

namespace jitnorm::fuzz {

// While one lives, a standard stream goes to memory.
class captured_output {
public:
    explicit captured_output(int descriptor); // 1 or 2
    ~captured_output();
    captured_output(const captured_output &) = delete;
    captured_output &operator=(const captured_output &) = delete;

    std::string text() const; // so far

private:
    const int descriptor_, saved_, memory_;
};

// What the exit status promises: 0 and 1 after a report, 2 after a mistake, which is told in one line.
void check_outcome(int status, const std::string &out, const std::string &err);

} // namespace jitnorm::fuzz
