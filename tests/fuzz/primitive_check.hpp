// SPDX-License-Identifier: Apache-2.0
// primitive_check: checks an execution of a primitive by the formulas.
#pragma once

#include <map>

#include "check.hpp"
#include "primitive_choice.hpp"

namespace jitnorm::fuzz {

struct dense_tensor {
    layout where;
    const unsigned char *data = nullptr;
    numbers values;
};

// By JITNORM_ARG_*: the arguments before the execution, and its results. The pointers are to the former.
void check_primitive(const primitive_choice &what, const_jitnorm_primitive_desc_t pd,
                     const std::map<int, dense_tensor> &inputs, const std::map<int, dense_tensor> &outputs);

} // namespace jitnorm::fuzz
