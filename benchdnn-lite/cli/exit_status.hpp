// SPDX-License-Identifier: Apache-2.0
// exit_status: how a program ends: its exit status, and files of results whose names the user gives by a knob.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace benchdnn_lite {

// Calls `body` and returns its result, the exit status. It is 2 instead if `body` throws input_error, and 1 if it
// throws another exception. It is also 1 if `body` returns 0 but not all output could be written, because the disk is
// full or the output is closed. In each of these cases one line on stderr says why.
int exit_status_of(const char *program, const std::function<int()> &body);

void tell(const char *program, const std::string &line); // on stderr; nothing if the line is empty

// Throws input_error, which names the knob, if the file cannot be written. Called before the tests run, so that no work
// is lost. An empty name means that there is no file.
void check_writable(std::string_view knob, const std::string &file);

void write_file(const std::string &name, const std::string &text); // throws std::runtime_error

} // namespace benchdnn_lite
