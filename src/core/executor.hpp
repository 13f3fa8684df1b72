// SPDX-License-Identifier: Apache-2.0
// executor: a problem made ready to run. Immutable and shared between threads; whatever changes lives in the arguments.
#pragma once

#include "attributes.hpp"

namespace jitnorm::impl::layer_norm {

struct problem;

// The memories of one execution as bare pointers (each at its data handle: a descriptor's offset0 is not yet added), of
// any alignment (unaligned.hpp). Null where the problem has no such tensor. Mean and variance are read or written as
// the problem says.
struct arguments {
    const void *src = nullptr;
    void *dst = nullptr;
    void *mean = nullptr;
    void *variance = nullptr;
    const void *scale = nullptr;
    const void *shift = nullptr;
    const void *diff_dst = nullptr;
    void *diff_src = nullptr;
    void *diff_scale = nullptr;
    void *diff_shift = nullptr;
    const void *src_scale = nullptr; // attribute scales, one float each
    const void *dst_scale = nullptr;
    void *scratchpad = nullptr;            // as many bytes as the implementation asked for, 64-byte aligned
    const problem *sizes = nullptr;        // of a problem with run-time sizes: the same with those of this execution
    const void *post_op_src[MAX_POST_OPS]; // src1 of binary post-op i; set for those only, since clearing 32 takes time
};

class executor {
public:
    executor() = default;
    executor(const executor &) = delete;
    executor &operator=(const executor &) = delete;
    virtual ~executor() = default;

    virtual jitnorm_status_t execute(const arguments &args) const = 0;
};

} // namespace jitnorm::impl::layer_norm
