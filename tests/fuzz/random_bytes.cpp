// SPDX-License-Identifier: Apache-2.0
// The inputs of targets whose bytes are choices: random ones, of different lengths.
#include <random>

#include "run_one.hpp"

namespace jitnorm::fuzz {

std::string input_of_seed(uint64_t seed) {
    constexpr size_t LENGTHS[] = {16, 128, 256, 512, 1024};
    std::mt19937_64 numbers(seed);
    std::string bytes(LENGTHS[numbers() % std::size(LENGTHS)], '\0');
    for (char &byte : bytes) byte = char(numbers() % 256);
    return bytes;
}

} // namespace jitnorm::fuzz
