// SPDX-License-Identifier: Apache-2.0
// data_type: names, sizes and values of the element types. Conversions round once, to nearest even, from double, and
// share nothing with the library under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "jitnorm/jitnorm_types.h"

namespace benchdnn_lite {

using dim_t = jitnorm_dim_t;
using data_type = jitnorm_data_type_t;

std::string_view name_of(data_type type);
data_type parse_data_type(std::string_view name); // throws input_error

size_t size_of(data_type type);
bool is_integer(data_type type);
bool is_f8(data_type type);
double largest(data_type type); // finite value
double lowest(data_type type);

double load(data_type type, const void *base, dim_t index);
// Integers and f8 saturate, and NaN becomes 0 in integers; other floating-point values beyond the range become
// infinite.
void store(data_type type, void *base, dim_t index, double value);

double round_to(data_type type, double value); // what load() gives after store()
// Half the distance between representable neighbours at `value`: what one rounding to nearest may cost.
double half_ulp(data_type type, double value);

} // namespace benchdnn_lite
