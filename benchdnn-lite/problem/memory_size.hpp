// SPDX-License-Identifier: Apache-2.0
// memory_size: how much memory a problem needs and how much there is.
#pragma once

#include <string>

#include "problem.hpp"

namespace benchdnn_lite {

// Bytes for `copies` of each tensor, with its padding, and for the numbers that the oracle keeps for each column. A
// check keeps copies of tensors; timing copies as many bytes by memcpy. A floating-point number, which no shape
// overflows.
double bytes_needed(const problem &p, double copies = 2);

double available_bytes(); // of the machine, not more than the limit of a container leaves

std::string readable_bytes(double bytes); // "1.5 GB"

} // namespace benchdnn_lite
