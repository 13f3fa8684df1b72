// SPDX-License-Identifier: Apache-2.0
// contract: the promises of every front end about failed allocations, tensors that share memory and sizes at the edge.
// test_contract.cpp tests them once; the adapter of a front end has objects to make, calls to execute and to refuse.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

using buffer = std::vector<unsigned char>;

struct call_tensor {
    std::string name;
    char use = '<'; // < read, > written, anything else not looked at
    buffer start;   // its content before an execution; empty: there is none
    bool is_compared = true;
};

// A call made ready to be executed on any buffers, again and again.
struct ready_call {
    std::string name;
    std::vector<call_tensor> tensors = {};
    std::set<std::pair<size_t, size_t>> in_place = {}; // an input and an output that may be at its place
    // Puts tensor i into the buffer places[i], and returns what executes. That returns the status.
    std::function<std::function<int()>(std::vector<buffer> &, const std::vector<size_t> &)> bind = {};
    bool has_scratchpad = true; // as soon as it is bound; otherwise its first execution may allocate one for the thread
};

// Sizes, strides or offsets that must be refused.
struct refusal {
    std::string what;
    int status;
    std::string reason; // part of it
    std::function<int()> make;
};

// The results of an execution: sums and means of nothing, and variances of nothing.
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
    int refused; // the status where tensors share memory
    std::vector<std::function<ready_call()>> calls;
    bool reasons_name_tensors; // those that share memory, by the names of ready_call::tensors
    std::vector<refusal> refusals;
    std::vector<empty_case> empty;
};
front_end adapter();

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
