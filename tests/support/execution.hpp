// SPDX-License-Identifier: Apache-2.0
// execution: the arguments of a create call, and everything that one execution of a primitive needs: data, memories and
// the argument list. A test can run it, or change any part of it first.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "handed_arguments.hpp"
#include "log.hpp"

namespace jitnorm::tests {

constexpr auto INVALID = jitnorm_invalid_arguments;

template <typename Request>
owned_pd made(const Request &request) {
    owned_pd pd;
    must(request.create(&pd), "a primitive descriptor");
    return pd;
}

template <typename Request>
jitnorm_status_t status_of(const Request &request) {
    owned_pd pd;
    return request.create(&pd);
}

// The arguments of a create call. The defaults work; a test sets descriptors and its own choices.
struct forward_request {
    jitnorm_prop_kind_t prop_kind = jitnorm_forward_training;
    const_jitnorm_memory_desc_t src = nullptr, dst = nullptr, statistics = nullptr;
    jitnorm_data_type_t scale_shift_type = jitnorm_f32;
    float epsilon = 1e-5f;
    unsigned flags = 0;
    const_jitnorm_primitive_attr_t attr = nullptr;

    jitnorm_status_t create(jitnorm_primitive_desc_t *pd) const {
        return jitnorm_layer_normalization_forward_primitive_desc_create_v2(pd, cpu(), prop_kind, src, dst, statistics,
                                                                            scale_shift_type, epsilon, flags, attr);
    }
    owned_pd make() const { return made(*this); }
    owned_pd make(unsigned other_flags, const_jitnorm_primitive_attr_t other_attr = nullptr) {
        flags = other_flags;
        attr = other_attr;
        return make();
    }
};

struct backward_request {
    jitnorm_prop_kind_t prop_kind = jitnorm_backward;
    const_jitnorm_memory_desc_t diff_src = nullptr, diff_dst = nullptr, src = nullptr, statistics = nullptr;
    jitnorm_data_type_t diff_scale_shift_type = jitnorm_f32, scale_shift_type = jitnorm_f32;
    float epsilon = 1e-5f;
    unsigned flags = 0;
    const_jitnorm_primitive_desc_t hint = nullptr;
    const_jitnorm_primitive_attr_t attr = nullptr;

    jitnorm_status_t create(jitnorm_primitive_desc_t *pd) const {
        return jitnorm_layer_normalization_backward_primitive_desc_create_v2(
            pd, cpu(), prop_kind, diff_src, diff_dst, src, statistics, diff_scale_shift_type, scale_shift_type, epsilon,
            flags, hint, attr);
    }
    owned_pd make() const { return made(*this); }
    owned_pd make(unsigned other_flags, const_jitnorm_primitive_attr_t other_attr = nullptr) {
        flags = other_flags;
        attr = other_attr;
        return make();
    }
};

// Primitives of dense tensors of f32, all of these sizes.
inline owned_pd forward_pd(jitnorm_prop_kind_t kind, const dims &sizes, unsigned flags = 0,
                           const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = make_md(sizes, jitnorm_f32);
    return forward_request{kind, data, data}.make(flags, attr);
}
inline owned_pd backward_pd(jitnorm_prop_kind_t kind, const dims &sizes, unsigned flags = 0,
                            const_jitnorm_primitive_attr_t attr = nullptr) {
    const owned_md data = make_md(sizes, jitnorm_f32);
    return backward_request{kind, data, data, data}.make(flags, attr);
}

// Gives the attributes the post-ops that `add` appends.
template <typename Add>
void append(const owned_attr &attr, Add &&add) {
    const owned_post_ops post_ops = make_post_ops();
    EXPECT_OK(add(post_ops.get()));
    EXPECT_OK(jitnorm_primitive_attr_set_post_ops(attr, post_ops));
}

// One tensor of an execution: its bytes, and the memory object for them.
struct bound_tensor {
    std::vector<std::byte> bytes;
    owned_memory memory;
};

class execution {
public:
    // Makes every tensor that the primitive has, each with a buffer that is filled with `filler`.
    explicit execution(const_jitnorm_primitive_desc_t pd, std::byte filler = std::byte(0x3f))
        : execution(pd, pd, filler) {}

    // For a primitive that learns sizes at execution only: the tensors have the sizes that the descriptor `sizes` has.
    execution(const_jitnorm_primitive_desc_t pd, const_jitnorm_primitive_desc_t sizes,
              std::byte filler = std::byte(0x3f))
        : primitive_(make_primitive(pd)) {
        for (const int arg : all_args()) {
            const auto *md = md_of(arg == JITNORM_ARG_SCRATCHPAD ? pd : sizes, arg);
            if (ndims_of(md) == 0) continue;
            bound_tensor &tensor = tensors_[arg];
            tensor.bytes.assign(std::max<size_t>(jitnorm_memory_desc_get_size(md), 1), filler);
            tensor.memory = make_memory(md, tensor.bytes.data());
        }
    }

    static std::vector<int> all_args() {
        std::vector<int> args;
        for (int tensor = 1; tensor <= JITNORM_ARG_DIFF_SHIFT; ++tensor) args.push_back(tensor);
        for (const int tensor : {JITNORM_ARG_SRC, JITNORM_ARG_DST}) args.push_back(JITNORM_ARG_ATTR_SCALES | tensor);
        for (int i = 0; i < 32; ++i) args.push_back(JITNORM_ARG_ATTR_MULTIPLE_POST_OP(i) | JITNORM_ARG_SRC_1);
        return args;
    }

    template <typename Value>
    void set(int arg, const std::vector<Value> &values) {
        ASSERT_EQ(tensors_.at(arg).bytes.size(), values.size() * sizeof(Value));
        std::copy(values.begin(), values.end(), data<Value>(arg));
    }

    template <typename Value = float>
    std::vector<Value> get(int arg) {
        return {data<Value>(arg), data<Value>(arg) + tensors_.at(arg).bytes.size() / sizeof(Value)};
    }

    template <typename Value>
    Value *data(int arg) {
        return reinterpret_cast<Value *>(tensors_.at(arg).bytes.data());
    }

    std::map<int, bound_tensor> &tensors() { return tensors_; }
    const std::map<int, bound_tensor> &tensors() const { return tensors_; }
    jitnorm_primitive_t primitive() const { return primitive_; }

    std::vector<jitnorm_exec_arg_t> args() const {
        std::vector<jitnorm_exec_arg_t> list;
        for (const auto &[arg, tensor] : tensors_) list.push_back({arg, tensor.memory});
        return list;
    }

    jitnorm_status_t run(const std::vector<jitnorm_exec_arg_t> &list) const {
        return jitnorm_primitive_execute(primitive_, stream_, int(list.size()), list.data());
    }
    jitnorm_status_t run() const { return run(args()); }
    jitnorm_status_t run_on(jitnorm_stream_t on) const { return run_by(primitive_, on); }
    jitnorm_status_t run_by(jitnorm_primitive_t other, jitnorm_stream_t on) const { // which has the same tensors
        const auto list = args();
        return jitnorm_primitive_execute(other, on, int(list.size()), list.data());
    }

    // Whether no byte of any tensor differs from the filler.
    bool is_untouched(std::byte filler = std::byte(0x3f)) const {
        return std::all_of(tensors_.begin(), tensors_.end(), [&](const auto &entry) {
            const auto &bytes = entry.second.bytes;
            return std::count(bytes.begin(), bytes.end(), filler) == std::ptrdiff_t(bytes.size());
        });
    }

private:
    owned_stream stream_ = make_stream();
    owned_primitive primitive_;
    std::map<int, bound_tensor> tensors_;
};

} // namespace jitnorm::tests
