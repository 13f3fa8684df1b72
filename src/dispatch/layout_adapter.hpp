// SPDX-License-Identifier: Apache-2.0
// layout_adapter: an executor around another executor, for front ends that allow more layouts and types than a problem
// does. In a problem scale, shift and bias are dense vectors of C elements, scale and shift have one type, so have
// their gradients, and mean and variance share one descriptor. This executor copies tensors that differ from that to
// the scratchpad and back. The inner executor gets the other tensors as they are.
//
//     adapted_layouts sides; // a tensor whose descriptor stays empty is laid out as the problem says
//     sides[SCALE] = gamma; // for example with the normalized dimensions of src
//     sides[MEAN] = mean;   // with the row dimensions of src
//     auto inner = make_executor(p, chosen);
//     auto outer = std::make_shared<const layout_adapter>(p, sides, inner, chosen->scratchpad_bytes(p));
//     ... outer->scratchpad_bytes() ... outer->execute(arguments) ...
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "../norm/executor.hpp"
#include "../norm/problem.hpp"

namespace jitnorm::impl::layer_norm {

// The tensors with the extents columns, gradient and statistics as the caller has them. Tensors that the problem does
// not use may be among them. They have strides, no inner blocks, and the type f32, bf16 or f16. Scale, shift, gradients
// and bias may have any dimensions with C elements in row-major order; scale and shift with row dimensions have those
// of the problem's descriptors. Mean and variance have the dimensions of problem::statistics; if they differ from each
// other, problem::statistics should be dense. If two tensors for which the problem has one type differ in type, that
// type should be common_type() of both, so that nothing is rounded twice.
using adapted_layouts = std::map<slot, memory_desc>;

// The type of both if they are equal; otherwise f32, which can represent every value of both.
constexpr jitnorm_data_type_t common_type(jitnorm_data_type_t a, jitnorm_data_type_t b) {
    return a == b ? a : jitnorm_f32;
}

class layout_adapter final : public executor {
public:
    // `inner` is an executor for p that needs a scratchpad of `inner_bytes`.
    layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                   size_t inner_bytes);

    size_t scratchpad_bytes() const { return bytes_; } // for the copies and the inner executor together
    bool copies() const { return !copies_.empty(); }   // if not, the inner executor can be used without the adapter

    // The arguments are data handles of tensors as adapted_layouts describes them.
    jitnorm_status_t execute(const arguments &args) const override;

private:
    struct copy {
        slot place;
        memory_desc outside, inside;
        bool is_output;
        size_t offset = 0; // bytes from the begin of the scratchpad to the copy
    };
    void add(copy what);

    std::shared_ptr<const executor> inner_;
    std::vector<copy> copies_;
    size_t bytes_;
};

} // namespace jitnorm::impl::layer_norm
