// SPDX-License-Identifier: Apache-2.0
// output_file: files that a knob names and the results are written to.
#pragma once

#include <string>
#include <string_view>

namespace benchdnn_lite {

// Before hours of work are done for it: throws input_error if the file cannot be written. An empty name is no file.
void check_writable(std::string_view knob, const std::string &file);

void write_file(const std::string &name, const std::string &text); // throws std::runtime_error

} // namespace benchdnn_lite
