// SPDX-License-Identifier: Apache-2.0
// Command lines read, their problems' lines, their mistakes.
#pragma once

#include <gtest/gtest.h>

#include "cli/command_line.hpp"
#include "cli/knobs.hpp"
#include "error.hpp"
#include "jitnorm/jitnorm.h"
#include "text.hpp"

namespace benchdnn_lite {

using words = std::vector<std::string>;

inline words lines_of(const words &arguments) {
    words lines;
    const command c = parse_command_line(arguments);
    for (size_t i = 0; i < c.jobs.size(); ++i) lines.push_back(c.jobs[i].prb.line());
    return lines;
}

// The message of the input_error that `read` throws, or nothing.
template <typename Read>
std::string mistake_of(Read &&read) {
    try {
        read();
    } catch (const input_error &error) {
        return error.what();
    }
    return "";
}

inline std::string mistake_in(const words &arguments) {
    return mistake_of([&] { parse_command_line(arguments); });
}

} // namespace benchdnn_lite
