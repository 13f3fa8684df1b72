// SPDX-License-Identifier: Apache-2.0
// Checks and writes files of results.
#include "output_file.hpp"

#include <fstream>
#include <stdexcept>

#include "../error.hpp"

namespace benchdnn_lite {

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
