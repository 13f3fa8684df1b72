// SPDX-License-Identifier: Apache-2.0
// algorithms: those that post-ops can have, in the order of their numbers.
#pragma once

#include <algorithm>
#include <iterator>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl {

constexpr jitnorm_alg_kind_t ELTWISE_ALGORITHMS[] = {
#define ELTWISE(name, number) jitnorm_eltwise_##name,
#include "../../tables/eltwise.inc"
};

constexpr jitnorm_alg_kind_t BINARY_ALGORITHMS[] = {
#define BINARY(name, number) jitnorm_binary_##name,
#include "../../tables/binary.inc"
};

constexpr bool is_eltwise(jitnorm_alg_kind_t alg) {
    return std::find(std::begin(ELTWISE_ALGORITHMS), std::end(ELTWISE_ALGORITHMS), alg) != std::end(ELTWISE_ALGORITHMS);
}
constexpr bool is_binary(jitnorm_alg_kind_t alg) {
    return std::find(std::begin(BINARY_ALGORITHMS), std::end(BINARY_ALGORITHMS), alg) != std::end(BINARY_ALGORITHMS);
}

} // namespace jitnorm::impl
