// SPDX-License-Identifier: Apache-2.0
// side_tensors: gamma, beta, their gradients and the mean, in whatever strides they come. A problem takes the first
// four without gaps and the mean laid out as the variance is; what is not so is copied before or after.
#pragma once

#include <vector>

#include "lowering.hpp"

namespace jitnorm::impl::graph {

class side_tensors {
public:
    side_tensors(const norm_op &op, const lowered &what);

    size_t scratchpad_bytes() const { return bytes_; }

    // Replaces the pointers to tensors that need copies by those to the copies, in `scratchpad`, after reading them.
    void enter(by_role<void *> &data, void *scratchpad) const;
    // Writes those that are outputs back to where they belong.
    void leave(const by_role<void *> &data, const void *scratchpad) const;

private:
    struct copy {
        role of;
        bool is_output;
        memory_desc outside, inside;
        size_t offset; // of the copy in the scratchpad
    };

    void add(role r, bool is_output, const memory_desc &outside, const memory_desc &inside);

    std::vector<copy> copies_;
    size_t bytes_ = 0;
};

} // namespace jitnorm::impl::graph
