// SPDX-License-Identifier: Apache-2.0
#include "hostile_input.hpp"

#include <algorithm>
#include <sstream>

#include "cli/batch_file.hpp"
#include "cli/command_line.hpp"
#include "error.hpp"

namespace benchdnn_lite {

namespace {

// A mistake's text: one line that says something.
std::string checked_message(const std::string &message) {
    const bool controls = std::any_of(message.begin(), message.end(), [](char c) { return c >= 0 && c < ' '; });
    if (message.empty() || controls) throw broken_promise("not one line: '" + message + "'");
    return message;
}

void check_line(const job &j) {
    try {
        const command again = parse_command_line(arguments_in(j.line()));
        if (again.jobs.size() == 1 && again.jobs[0].prb.line() == j.prb.line() &&
            again.jobs[0].options.mode == j.options.mode)
            return;
    } catch (const input_error &error) {
        throw broken_promise("'" + j.line() + "' is a mistake: " + error.what());
    }
    throw broken_promise("'" + j.line() + "' is another problem");
}

} // namespace

std::vector<std::string> arguments_in(std::string_view text) {
    std::vector<std::string> arguments{"--lnorm"};
    std::istringstream stream{std::string(text)};
    for (word &w : words_of(stream)) arguments.push_back(std::move(w.text));
    return arguments;
}

std::string mistake_in_hostile(const std::vector<std::string> &arguments) {
    constexpr size_t ENOUGH = 8; // problems, of the many that lists may make
    command c;
    try {
        c = parse_command_line(arguments);
    } catch (const input_error &error) {
        return checked_message(error.what());
    }
    for (size_t i = 0; i < std::min(c.jobs.size(), ENOUGH); ++i) check_line(c.jobs[i]);
    if (!c.jobs.empty()) check_line(c.jobs[c.jobs.size() - 1]);
    return "";
}

} // namespace benchdnn_lite
