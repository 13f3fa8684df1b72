// SPDX-License-Identifier: Apache-2.0
// object_cache: keeps the objects that front ends have made last, so that a request with the same cache key gets the
// same object. The objects are immutable. All objects of one maker have one type.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>

#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// Which kind of object is made. Each maker adds other values in another order, so keys of different makers must
// never be equal.
enum class maker { primitive_desc, two_phase_call };

// Everything that decides what a creation function makes, as a row of words that can be compared quickly.
// Floating-point numbers are added by their bits, because two numbers that compare equal (+0 and -0) may lead to
// different results.
//
//     cache_key key(maker::primitive_desc);
//     key.add(*src_desc);
//     key.add(epsilon);
class cache_key {
public:
    // Begins with the maker and the settings of the process that decide which implementation is chosen. What is made
    // while a setting changes is not cached, since it may follow either one.
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
    void add(const problem &p);

    bool is_whole() const { return count_ <= MOST_WORDS; } // whether there was room for all words
    bool has_settings_of_now() const;                      // whether no setting has begun to change since it was made
    std::span<const uint64_t> words() const { return {words_.data(), count_}; }
    uint64_t hash() const;

private:
    static constexpr size_t MOST_WORDS = 256; // enough for tens of post-ops

    unsigned changes_; // of settings, that had ended before the key was made
    size_t count_ = 0;
    std::array<uint64_t, MOST_WORDS> words_; // the first count_ are set, the others undefined
};

// Lives while a setting is changed by which a key begins.
class settings_change {
public:
    settings_change();
    ~settings_change();
    settings_change(const settings_change &) = delete;
    settings_change &operator=(const settings_change &) = delete;
};

// The object that is cached under the key, or null. Null at verbose level 2, too, because the log then shows how
// everything is chosen. Allocates nothing.
std::shared_ptr<const void> find_object(const cache_key &key);

// Caches `made`, unless another thread has cached an object under the same key meanwhile. Returns the object that is
// cached, or `made` if the key is not whole or a setting has changed since it was made. Throws std::bad_alloc.
std::shared_ptr<const void> cache_object(const cache_key &key, std::shared_ptr<const void> made);

// At most `capacity` objects are cached; 0 caches none. Those that were unused for longest are dropped first. An object
// that is dropped lives as long as its users.
void set_object_cache_capacity(size_t capacity);
bool caches_objects();

// The same two functions for objects of one type.
template <typename Made>
std::shared_ptr<const Made> find_cached(const cache_key &key) {
    return std::static_pointer_cast<const Made>(find_object(key));
}
template <typename Made>
std::shared_ptr<const Made> cache(const cache_key &key, std::shared_ptr<const Made> made) {
    return std::static_pointer_cast<const Made>(cache_object(key, std::move(made)));
}

} // namespace jitnorm::impl::layer_norm
