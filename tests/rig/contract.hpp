// SPDX-License-Identifier: Apache-2.0
// contract: what every front end promises of memory that is out, of tensors that share memory and of sizes at the edge.
// test_contract.cpp tests it once; the adapter of a front end says what there is to make, to execute and to refuse.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "alias_groups.hpp"
#include "jitnorm_handle.hpp"

namespace jitnorm::tests {

constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();

// An object that allocates memory. `make` returns the status and destroys what it made.
struct creation {
    std::string what;
    int out_of_memory; // the status if an allocation fails
    std::function<int()> make;
};

// The creation of an object of a type like owned_stream by a call, which gets the pointer `made` to its handle.
template <typename Owned, typename Create>
creation created(const char *what, Create create) {
    return {what, jitnorm_out_of_memory, [=] {
                Owned made;
                return int(create(&made));
            }};
}
#define CREATES(owned, ...) created<owned>(#owned, [](auto *made) { return __VA_ARGS__; })

// Something made ready, with tensors, that may be executed again and again.
struct ready_run {
    std::function<int()> execute; // returns the status
    std::function<std::vector<buffer>()> outputs;
};
struct run_case {
    std::string name;
    std::function<ready_run()> make;
    bool has_scratchpad = false; // as soon as it is made; otherwise the first execution may take one from the thread
};

struct alias_case {
    alias_groups groups;
    // Executes with tensor i in the buffer places[i].
    std::function<alias_outcome(std::vector<buffer>, const std::vector<size_t> &)> run;
    std::function<void(const std::string &reason, const std::vector<size_t> &group)> check_reason;
};

// Sizes, strides or offsets that must be refused.
struct refusal {
    std::string what;
    int status;
    std::string reason; // part of it
    std::function<int()> make;
};

// What an execution has written: sums and means of nothing, and variances of nothing.
struct written {
    std::vector<double> zeros, nans;
};
// An execution that must succeed whatever strides its tensors have, because nobody steps along them.
struct empty_case {
    std::string what;
    std::function<written()> execute;
};

struct front_end {
    std::string logged; // the begin of an execution's line in the log
    std::vector<creation> creations;
    std::vector<run_case> runs;
    std::function<std::vector<alias_case>()> aliases; // made anew for each instruction set
    std::vector<refusal> refusals;
    std::function<std::string()> last_reason;
    std::vector<empty_case> empty;
};
front_end adapter();

inline buffer copy_of(const void *data, size_t bytes) {
    const auto *const first = static_cast<const unsigned char *>(data);
    return {first, first + bytes};
}

// Whether a reason is that for tensors that share memory.
inline void expect_alias_reason(const std::string &reason) {
    EXPECT_NE(reason.find(" is an output and has the memory of "), reason.npos) << reason;
}

// 4-byte numbers between 0.5 and 1.5; tensors of other types read the same bytes.
inline buffer numbers(size_t bytes, unsigned seed) {
    buffer result(bytes);
    unsigned state = seed * 2654435761U + 1;
    for (size_t at = 0; at + sizeof(float) <= bytes; at += sizeof(float)) {
        state = state * 1664525U + 1013904223U;
        const float value = 0.5F + float(state >> 8) / 16777216.0F;
        std::memcpy(&result[at], &value, sizeof value);
    }
    return result;
}

} // namespace jitnorm::tests
