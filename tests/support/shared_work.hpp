// SPDX-License-Identifier: Apache-2.0
// shared_work: a primitive and its inputs, which several executions share, through the C interface. No test framework
// is needed.
#pragma once

#include <cstring>
#include <map>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "handed_arguments.hpp"

namespace jitnorm::tests {

constexpr unsigned SEED = 7;
constexpr auto BY_LIBRARY = jitnorm_scratchpad_mode_library, BY_USER = jitnorm_scratchpad_mode_user;

struct job {
    std::string name;
    jitnorm_prop_kind_t kind;
    dims sizes;
    jitnorm_data_type_t type = jitnorm_f32;
    jitnorm_scratchpad_mode_t scratchpad = BY_LIBRARY;
    bool columns_first = false; // in memory, so that rows have to be packed
    unsigned flags = jitnorm_use_scale | jitnorm_use_shift;
};

inline void PrintTo(const job &j, std::ostream *to) { *to << j.name; }

inline owned_pd describe(const job &j) {
    const owned_md data = make_md(j.sizes, j.type, j.columns_first ? dims{1, j.sizes[0]} : dims{});
    const owned_attr attr = j.scratchpad == BY_USER ? with_user_scratchpad() : make_attr();
    owned_pd pd;
    must(j.kind == jitnorm_backward ? jitnorm_layer_normalization_backward_primitive_desc_create(
                                          &pd, cpu(), j.kind, data, data, data, nullptr, 1e-5F, j.flags, nullptr, attr)
                                    : jitnorm_layer_normalization_forward_primitive_desc_create(
                                          &pd, cpu(), j.kind, data, data, nullptr, 1e-5F, j.flags, attr),
         "a primitive descriptor");
    return pd;
}

using bytes = std::vector<unsigned char>;

// Random bytes that are moderate positive numbers in f32, bf16 and f16 alike: each pair is the upper half of an f32.
inline bytes random_patterns(size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> value(0.5F, 2);
    bytes result(size);
    for (size_t at = 0; at < size; at += 2) {
        const float f = value(random);
        std::memcpy(&result[at], reinterpret_cast<const unsigned char *>(&f) + 2, 2);
    }
    return result;
}

class shared_work {
public:
    explicit shared_work(const job &j) : shared_work(j, describe(j)) {}
    shared_work(const job &j, owned_pd pd) : pd_(std::move(pd)), primitive_(make_primitive(pd_)) {
        const bool is_backward = j.kind == jitnorm_backward;
        std::vector<int> inputs = {JITNORM_ARG_SRC, JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT};
        if (is_backward) inputs.insert(inputs.end(), {JITNORM_ARG_DIFF_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE});
        unsigned seed = SEED;
        for (const int argument : inputs)
            if (has(pd_, argument)) inputs_[argument] = random_patterns(bytes_of(pd_, argument), seed++);
        outputs_ = is_backward ? std::vector<int>{JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT}
                               : std::vector<int>{JITNORM_ARG_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE};
    }

    // Executes the primitive and returns the bytes of its outputs, one output after the other.
    bytes run() { return run_on(stream_); }
    bytes run_on(jitnorm_stream_t stream) {
        std::map<int, bytes> buffers;
        buffers[JITNORM_ARG_SCRATCHPAD] = bytes(bytes_of(pd_, JITNORM_ARG_SCRATCHPAD), 0xA5);
        for (const int argument : outputs_) buffers[argument] = bytes(bytes_of(pd_, argument), 0xA5);
        handed_arguments arguments(pd_);
        for (auto *set : {&inputs_, &buffers})
            for (auto &[argument, buffer] : *set) arguments.add(argument, buffer.data());
        arguments.execute(primitive_, stream);
        bytes all;
        for (const int argument : outputs_) all.insert(all.end(), buffers[argument].begin(), buffers[argument].end());
        return all;
    }

    const char *implementation() const { return implementation_of(pd_); }
    int64_t scratchpad_bytes() const {
        int64_t result = 0;
        must(jitnorm_primitive_desc_query(pd_, jitnorm_query_memory_consumption_s64, 0, &result), "a query");
        return result;
    }

private:
    owned_stream stream_ = make_stream();
    owned_pd pd_;
    owned_primitive primitive_;
    std::vector<int> outputs_;
    std::map<int, bytes> inputs_;
};

// Small and large work, rows that are shared between threads, and both owners of the scratchpad.
inline std::vector<job> jobs() {
    return {{"forward_small", jitnorm_forward_training, {7, 33}, jitnorm_f32, BY_LIBRARY},
            {"forward_large", jitnorm_forward_training, {3, 101, 515}, jitnorm_f32, BY_LIBRARY},
            {"forward_long_rows", jitnorm_forward_training, {5, 20011}, jitnorm_f32, BY_LIBRARY},
            {"forward_columns", jitnorm_forward_training, {303, 515}, jitnorm_f32, BY_LIBRARY, true},
            {"forward_shared_rows", jitnorm_forward_training, {1, 100003}, jitnorm_f32, BY_LIBRARY},
            {"forward_bf16", jitnorm_forward_training, {67, 256}, jitnorm_bf16, BY_USER},
            {"backward_small", jitnorm_backward, {7, 33}, jitnorm_f32, BY_USER},
            {"backward_large", jitnorm_backward, {3, 101, 515}, jitnorm_f32, BY_LIBRARY},
            {"backward_large_user", jitnorm_backward, {303, 515}, jitnorm_f32, BY_USER},
            {"backward_columns", jitnorm_backward, {303, 515}, jitnorm_f32, BY_LIBRARY, true},
            {"backward_bf16", jitnorm_backward, {67, 256}, jitnorm_bf16, BY_LIBRARY}};
}

} // namespace jitnorm::tests
