// SPDX-License-Identifier: Apache-2.0
// byte_stream: turns the bytes of a fuzzer's input into choices. Bytes that are not there are zeros, and a zero makes
// the mildest choice, so that short inputs are ordinary problems and each byte more makes one choice stranger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace jitnorm::fuzz {

class byte_stream {
public:
    byte_stream(const uint8_t *data, size_t size) : next_(data), end_(data + size) {
        constexpr unsigned ONE_CHOICE_IN[] = {0, 64, 24, 6};
        hostile_one_in_ = ONE_CHOICE_IN[byte() % 4];
    }

    uint8_t byte() { return next_ == end_ ? uint8_t(0) : *next_++; }

    uint64_t number() {
        uint64_t value = 0;
        for (int i = 0; i < 8; ++i) value = value << 8 | byte();
        return value;
    }

    // 0 to end - 1; end is 1 or more.
    size_t below(size_t end) {
        constexpr size_t ONE_BYTE = 256;
        const size_t value = end <= ONE_BYTE ? byte() : size_t(byte()) << 16 | size_t(byte()) << 8 | byte();
        return value % end;
    }

    bool coin() { return below(2) == 1; }
    bool one_in(size_t n) { return below(n) == n - 1; }

    // Whether a choice that no program should make is made here. The first byte says how often.
    bool hostile() { return hostile_one_in_ != 0 && one_in(hostile_one_in_); }

    template <typename Values>
    auto pick(const Values &values) {
        return values[below(std::size(values))];
    }

private:
    const uint8_t *next_, *end_;
    unsigned hostile_one_in_;
};

} // namespace jitnorm::fuzz
