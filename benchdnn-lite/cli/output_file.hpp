// SPDX-License-Identifier: Apache-2.0
// output_file: files for results, whose names the user gives by a knob.
#pragma once

#include <string>
#include <string_view>

namespace benchdnn_lite {

// Throws input_error, which names the knob, if the file cannot be written. Called before the tests run, so that no work
// is lost. An empty name means that there is no file.
void check_writable(std::string_view knob, const std::string &file);

void write_file(const std::string &name, const std::string &text); // throws std::runtime_error

} // namespace benchdnn_lite
