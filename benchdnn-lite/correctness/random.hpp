// SPDX-License-Identifier: Apache-2.0
// random: reproducible numbers (the generator splitmix64), the same on every machine.
#pragma once

#include <cstdint>

namespace benchdnn_lite {

class random_numbers {
public:
    // Different sequences of one seed are independent.
    random_numbers(uint64_t seed, uint64_t sequence)
        : state_(seed * 0x9e3779b97f4a7c15u ^ sequence * 0xd1342543de82ef95u) {
        next();
    }

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    double uniform(double low, double high) { return low + (high - low) * (double(next() >> 11) * 0x1p-53); }

    // Mean 0, deviation 1, bell-shaped within +-3: the sum of three uniform numbers.
    double bell() { return uniform(-1, 1) + uniform(-1, 1) + uniform(-1, 1); }

private:
    uint64_t state_;
};

} // namespace benchdnn_lite
