// SPDX-License-Identifier: Apache-2.0
// fingerprint: all that decides what a creation makes, as words that compare at once. Floats are among them as they
// are: what two numbers that compare equal do to a result may differ.
//
//     fingerprint asked(maker::forward_desc);
//     asked.add(*src_desc);
//     asked.add(epsilon);
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "../core/attributes.hpp"

namespace jitnorm::impl::layer_norm {

// Who adds what, and in which order: words of one never mean what those of another do.
enum class maker { primitive_desc, two_phase_call };

class fingerprint {
public:
    // The settings of the process that choose an implementation are the first words.
    explicit fingerprint(maker who);

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

    bool is_whole() const { return count_ <= MOST_WORDS; } // there was room for all words
    std::span<const uint64_t> words() const { return {words_.data(), count_}; }
    uint64_t hash() const;

private:
    static constexpr size_t MOST_WORDS = 256; // tens of post-ops

    size_t count_ = 0;
    std::array<uint64_t, MOST_WORDS> words_; // those that count are set
};

} // namespace jitnorm::impl::layer_norm
