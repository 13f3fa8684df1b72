// SPDX-License-Identifier: Apache-2.0
// cache_key: everything that decides what a creation function makes, as a row of words that can be compared quickly.
// Floating-point numbers are added by their bits, because two numbers that compare equal (+0 and -0) may lead to
// different results.
//
//     cache_key key(maker::primitive_desc);
//     key.add(*src_desc);
//     key.add(epsilon);
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// Which kind of object is made. Each maker adds other values in another order, so keys of different makers must
// never be equal.
enum class maker { primitive_desc, two_phase_call };

class cache_key {
public:
    // Begins with the maker and the settings of the process that decide which implementation is chosen.
    explicit cache_key(maker who);

    void add(uint64_t word) {
        if (count_ < MOST_WORDS) words_[count_] = word;
        ++count_;
    }
    void add(float number) { add(uint64_t(std::bit_cast<uint32_t>(number))); }
    void add(double number) { add(std::bit_cast<uint64_t>(number)); }
    void add(std::span<const dim_t> numbers) {
        for (const dim_t number : numbers) add(uint64_t(number));
    }
    void add(const memory_desc &md);
    void add(const attributes &attr);
    void add(const problem &p);

    bool is_whole() const { return count_ <= MOST_WORDS; } // whether there was room for all words
    std::span<const uint64_t> words() const { return {words_.data(), count_}; }
    uint64_t hash() const;

private:
    static constexpr size_t MOST_WORDS = 256; // enough for tens of post-ops

    size_t count_ = 0;
    std::array<uint64_t, MOST_WORDS> words_; // the first count_ are set, the others undefined
};

} // namespace jitnorm::impl::layer_norm
