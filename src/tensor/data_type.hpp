// SPDX-License-Identifier: Apache-2.0
// data_type: properties of the types of elements.
#pragma once

#include <cstddef>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

struct data_type_properties {
    const char *name = "undef";
    size_t size = 0;   // bytes of one element
    int precision = 0; // significant bits; 0 for integers
};

// The defaults for undef and unknown types.
constexpr data_type_properties properties_of(jitnorm_data_type_t type) {
    switch (type) {
#define DATA_TYPE(name, number, size, precision, ...)                                                                  \
    case jitnorm_##name:                                                                                               \
        return {#name, size, precision};
#include "../../tables/data_types.inc"
    case jitnorm_data_type_undef:
        break;
    }
    return {};
}

constexpr bool is_f8(jitnorm_data_type_t type) {
    const data_type_properties p = properties_of(type);
    return p.size == 1 && p.precision != 0;
}

constexpr bool is_int8(jitnorm_data_type_t type) {
    const data_type_properties p = properties_of(type);
    return p.size == 1 && p.precision == 0;
}

} // namespace jitnorm::impl
