// SPDX-License-Identifier: Apache-2.0
// shared_work: a primitive and its inputs, which several executions share, through the C interface.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

constexpr unsigned SEED = 7;

inline void check(jitnorm_status_t status) { ASSERT_EQ(status, jitnorm_success); }

// A handle that is destroyed with its owner.
template <typename Handle>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, jitnorm_status_t (*)(Handle)>;

template <typename Handle, typename Create>
owned<Handle> make(jitnorm_status_t (*destroy)(Handle), Create &&create) {
    Handle handle = nullptr;
    EXPECT_EQ(create(&handle), jitnorm_success);
    return {handle, destroy};
}

struct device {
    owned<jitnorm_engine_t> engine =
        make(jitnorm_engine_destroy, [](auto *h) { return jitnorm_engine_create(h, jitnorm_cpu, 0); });
    owned<jitnorm_stream_t> stream = make(jitnorm_stream_destroy, [this](auto *h) {
        return jitnorm_stream_create(h, engine.get(), jitnorm_stream_default_flags);
    });
};

struct job {
    std::string name;
    jitnorm_prop_kind_t kind;
    std::vector<jitnorm_dim_t> dims;
    jitnorm_data_type_t type;
    jitnorm_scratchpad_mode_t scratchpad;
    bool columns_first = false; // in memory: rows have to be packed
};

inline void PrintTo(const job &j, std::ostream *to) { *to << j.name; }

constexpr unsigned FLAGS = jitnorm_use_scale | jitnorm_use_shift;

inline bool is_backward(const job &j) { return j.kind == jitnorm_backward; }

inline std::vector<int> inputs_of(const job &j) {
    if (!is_backward(j)) return {JITNORM_ARG_SRC, JITNORM_ARG_SCALE, JITNORM_ARG_SHIFT};
    return {JITNORM_ARG_SRC, JITNORM_ARG_DIFF_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE, JITNORM_ARG_SCALE};
}

inline std::vector<int> outputs_of(const job &j) {
    if (!is_backward(j)) return {JITNORM_ARG_DST, JITNORM_ARG_MEAN, JITNORM_ARG_VARIANCE};
    return {JITNORM_ARG_DIFF_SRC, JITNORM_ARG_DIFF_SCALE, JITNORM_ARG_DIFF_SHIFT};
}

inline owned<jitnorm_primitive_desc_t> describe(const device &on, const job &j) {
    const auto data = make(jitnorm_memory_desc_destroy, [&](auto *h) {
        const jitnorm_dim_t strides[] = {1, j.dims[0]};
        return jitnorm_memory_desc_create_with_strides(h, int(j.dims.size()), j.dims.data(), j.type,
                                                       j.columns_first ? strides : nullptr);
    });
    const auto attr = make(jitnorm_primitive_attr_destroy, [](auto *h) { return jitnorm_primitive_attr_create(h); });
    check(jitnorm_primitive_attr_set_scratchpad_mode(attr.get(), j.scratchpad));
    return make(jitnorm_primitive_desc_destroy, [&](jitnorm_primitive_desc_t *h) {
        const_jitnorm_memory_desc_t md = data.get();
        return is_backward(j) ? jitnorm_layer_normalization_backward_primitive_desc_create(
                                    h, on.engine.get(), j.kind, md, md, md, nullptr, 1e-5F, FLAGS, nullptr, attr.get())
                              : jitnorm_layer_normalization_forward_primitive_desc_create(
                                    h, on.engine.get(), j.kind, md, md, nullptr, 1e-5F, FLAGS, attr.get());
    });
}

inline const char *implementation_of(const_jitnorm_primitive_desc_t pd) {
    const char *name = nullptr;
    check(jitnorm_primitive_desc_query(pd, jitnorm_query_impl_info_str, 0, &name));
    return name;
}

using bytes = std::vector<unsigned char>;

inline size_t size_of(const_jitnorm_primitive_desc_t pd, int argument) {
    return jitnorm_memory_desc_get_size(jitnorm_primitive_desc_query_md(pd, jitnorm_query_exec_arg_md, argument));
}

// Patterns that are moderate positive numbers in f32 and in bf16 alike (the upper halves of f32).
inline bytes random_values(size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> value(0.5F, 2);
    bytes result(size);
    for (size_t at = 0; at < size; at += 2) {
        const float f = value(random);
        std::memcpy(&result[at], reinterpret_cast<const unsigned char *>(&f) + 2, 2);
    }
    return result;
}

// What several executions share: the primitive and its inputs.
class shared_work {
public:
    shared_work(const device &on, const job &j, owned<jitnorm_primitive_desc_t> pd)
        : on_(on), pd_(std::move(pd)), outputs_(outputs_of(j)) {
        primitive_ = make(jitnorm_primitive_destroy, [&](auto *h) { return jitnorm_primitive_create(h, pd_.get()); });
        unsigned seed = SEED;
        for (const int argument : inputs_of(j)) inputs_[argument] = random_values(size_of(pd_.get(), argument), seed++);
    }

    // The outputs' bytes of one execution, one after the other.
    bytes run() { return run_on(on_.stream.get()); }
    bytes run_on(jitnorm_stream_t stream) {
        std::map<int, bytes> buffers;
        for (const int argument : outputs_) buffers[argument] = bytes(size_of(pd_.get(), argument), 0xA5);
        if (const size_t size = size_of(pd_.get(), JITNORM_ARG_SCRATCHPAD); size > 0)
            buffers[JITNORM_ARG_SCRATCHPAD] = bytes(size, 0xA5);
        execute(stream, buffers);
        bytes all;
        for (const int argument : outputs_) all.insert(all.end(), buffers[argument].begin(), buffers[argument].end());
        return all;
    }

private:
    void execute(jitnorm_stream_t stream, std::map<int, bytes> &buffers) {
        std::vector<owned<jitnorm_memory_t>> memories;
        std::vector<jitnorm_exec_arg_t> args;
        for (auto *set : {&inputs_, &buffers})
            for (auto &[argument, buffer] : *set) {
                memories.push_back(make(jitnorm_memory_destroy, [&, argument = argument, &data = buffer](auto *h) {
                    return jitnorm_memory_create(
                        h, jitnorm_primitive_desc_query_md(pd_.get(), jitnorm_query_exec_arg_md, argument),
                        on_.engine.get(), data.data());
                }));
                args.push_back({argument, memories.back().get()});
            }
        EXPECT_EQ(jitnorm_primitive_execute(primitive_.get(), stream, int(args.size()), args.data()), jitnorm_success);
    }

    const device &on_;
    owned<jitnorm_primitive_desc_t> pd_;
    owned<jitnorm_primitive_t> primitive_{nullptr, jitnorm_primitive_destroy};
    std::vector<int> outputs_;
    std::map<int, bytes> inputs_;
};

constexpr auto BY_LIBRARY = jitnorm_scratchpad_mode_library, BY_USER = jitnorm_scratchpad_mode_user;

// Small and large work, rows that are shared between threads, both owners of the scratchpad.
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
