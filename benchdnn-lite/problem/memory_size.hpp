// SPDX-License-Identifier: Apache-2.0
// memory_size: how much memory a problem needs and how much there is.
#pragma once

#include <string>

#include "problem.hpp"

namespace benchdnn_lite {

// Tensors with their padding, `copies` of each (checking keeps some, timing copies as many bytes), and what the oracle
// keeps for each column. A floating-point number, so that no shape overflows it.
double bytes_needed(const problem &p, double copies = 2);

struct memory_limits {
    double total, available;
};
memory_limits machine_memory(); // honours a container's limit

std::string readable_bytes(double bytes); // "1.5 GB"

} // namespace benchdnn_lite
