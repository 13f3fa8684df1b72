// SPDX-License-Identifier: Apache-2.0
// bytes: functions that put together files in the formats of other programs, value by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace jitnorm::impl::jit {

using byte_string = std::vector<uint8_t>;

// Appends the bytes of a number or a structure as they lie in memory.
template <typename T>
requires std::is_trivially_copyable_v<T>
void append(byte_string &to, const T &value) {
    const auto *first = reinterpret_cast<const uint8_t *>(&value);
    to.insert(to.end(), first, first + sizeof value);
}

inline void append_all(byte_string &to, std::span<const uint8_t> more) {
    to.insert(to.end(), more.begin(), more.end());
}

constexpr size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

inline void pad(byte_string &to, size_t unit) { to.resize(round_up(to.size(), unit)); }

} // namespace jitnorm::impl::jit
