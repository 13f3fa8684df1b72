// SPDX-License-Identifier: Apache-2.0
// data_type: names, sizes and values of the element types. Conversions round once, from double, to nearest even. They
// share no code with the library under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "jitnorm/jitnorm_types.h"

namespace benchdnn_lite {

using dim_t = jitnorm_dim_t;
using data_type = jitnorm_data_type_t;

// How many elements a tensor with these dimensions has. As a double it cannot overflow.
template <typename Number = dim_t>
Number product(std::span<const dim_t> dims) {
    Number result = 1;
    for (const dim_t dim : dims) result *= Number(dim);
    return result;
}

std::string_view name_of(data_type type);
data_type parse_data_type(std::string_view name); // throws input_error

size_t size_of(data_type type); // bytes
bool is_integer(data_type type);
bool is_f8(data_type type);
double largest(data_type type); // the largest finite value
double lowest(data_type type);  // the lowest finite value

// The element with number `index` of an array at `base`.
double load(data_type type, const void *base, dim_t index);
// Rounds the value and stores it as an element. Beyond the range, integers and f8 take the nearest finite value; other
// floating-point types become infinite. NaN becomes 0 in integers.
void store(data_type type, void *base, dim_t index, double value);

double round_to(data_type type, double value); // the value that load() gives after store()
// Half the distance between neighbouring numbers of the type at `value`: the largest error of one rounding to nearest.
// For floating-point types it is 0 at infinities and NaN.
double half_ulp(data_type type, double value);

} // namespace benchdnn_lite
