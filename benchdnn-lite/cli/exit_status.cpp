// SPDX-License-Identifier: Apache-2.0
// Turns exceptions and lost output into exit statuses. Checks and writes files of results.
#include "exit_status.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include "../error.hpp"

namespace benchdnn_lite {

namespace {

// Prints the reason and returns the status.
int told(const char *program, const char *reason, int status) {
    tell(program, reason);
    return status;
}

bool is_all_written() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

} // namespace

int exit_status_of(const char *program, const std::function<int()> &body) {
    try {
        const int status = body();
        return status != 0 || is_all_written() ? status : told(program, "cannot write to standard output", 1);
    } catch (const input_error &error) {
        return told(program, error.what(), 2);
    } catch (const std::exception &error) {
        return told(program, error.what(), 1);
    }
}

void tell(const char *program, const std::string &line) {
    if (!line.empty()) std::fprintf(stderr, "%s: %s\n", program, line.c_str());
}

void check_writable(std::string_view knob, const std::string &file) {
    if (!file.empty() && !std::ofstream(file, std::ios::app))
        throw input_error("--", knob, ": cannot write '", file, "'");
}

void write_file(const std::string &name, const std::string &text) {
    std::ofstream file(name);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(concat("cannot write ", name));
}

} // namespace benchdnn_lite
