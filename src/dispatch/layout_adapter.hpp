// SPDX-License-Identifier: Apache-2.0
// layout_adapter: an executor around another executor, for front ends that allow more layouts and types than a problem
// does. In a problem scale, shift and bias are dense vectors of C elements, scale and shift have one type, so have
// their gradients, and mean and variance share one descriptor. This executor copies tensors that differ from that to
// the scratchpad and back. The inner executor gets the other tensors as they are.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "../norm/implementation.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// The caller's tensors with the extents columns, gradient and statistics. A tensor that the caller does not have has an
// empty descriptor. They have strides, no inner blocks, and the type f32, bf16 or f16. Scale, shift, gradients and bias
// may have any dimensions with C elements in row-major order. Scale and shift may also have the dimensions of src, some
// of the row dimensions 1. Mean and variance have the row dimensions of src.
using adapted_layouts = std::map<slot, memory_desc>;

// Sets from the caller's tensors what a problem lacks: its kind, the flags for scale and shift, the omitted tensors,
// the types of scale, shift, bias and gradients, and the descriptors of statistics and of scale and shift with row
// dimensions. The problem must already have the number of normalized axes and the descriptors of its data: diff_dst
// makes it backward, and an empty diff_src is not wanted. Where two tensors of different types share one type in the
// problem, it is f32, which represents every value of both, so that nothing is rounded twice.
void complete(problem &p, const adapted_layouts &layouts);

class layout_adapter final : public executor {
public:
    // `inner` is an executor for p that needs a scratchpad of `inner_bytes`. Layouts of tensors that the problem does
    // not use are not looked at.
    layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                   size_t inner_bytes);

    size_t scratchpad_bytes() const { return bytes_; } // for the copies and the inner executor
    bool copies() const { return !copies_.empty(); }   // if not, the inner executor can be used without the adapter

    // The arguments are data handles of tensors as adapted_layouts describes them.
    jitnorm_status_t execute(const arguments &args) const override;

private:
    struct copy {
        slot place;
        memory_desc outside, inside;
        bool is_output;
        size_t offset; // bytes from the begin of the scratchpad to the copy
    };

    std::shared_ptr<const executor> inner_;
    std::vector<copy> copies_;
    size_t bytes_;
};

} // namespace jitnorm::impl::layer_norm
