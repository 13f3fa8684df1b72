// SPDX-License-Identifier: Apache-2.0
// layout_adapter: an executor around another one, for front ends whose users may lay out as they like, and in types as
// they like, what a problem takes in one layout and one type only: scale, shift and their gradients, which a problem
// has as dense vectors of C elements, and mean and variance, which share problem::statistics. What is otherwise passes
// through copies in the scratchpad; all else goes to the inner executor as it is.
//
//     adapted_layouts sides;   // all empty: as the problem has them
//     sides.scale = gamma;  // say, with the normalized dimensions of src
//     sides.mean = mean;    // with its row dimensions
//     auto inner = make_executor(p, chosen);
//     auto outer = std::make_shared<const layout_adapter>(p, sides, inner, chosen->scratchpad_bytes(p));
//     ... outer->scratchpad_bytes() ... outer->execute(arguments) ...
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "../core/executor.hpp"
#include "../core/problem.hpp"

namespace jitnorm::impl::layer_norm {

// Strided, without inner blocks, of type f32, bf16 or f16; where two share a type of the problem and differ, that had
// better be common_type() of them, so that nothing is rounded twice. Scale, shift and gradients with any dimensions
// that have C elements, in row-major order; statistics with the dimensions of problem::statistics, which had better be
// dense where it is not that of both.
struct adapted_layouts {
    memory_desc scale, shift, diff_scale, diff_shift;
    memory_desc mean, variance;
    memory_desc bias = {}; // of a residual
};

// The type of both, where they agree; else f32, which has all values of both.
constexpr jitnorm_data_type_t common_type(jitnorm_data_type_t a, jitnorm_data_type_t b) {
    return a == b ? a : jitnorm_f32;
}

class layout_adapter final : public executor {
public:
    // `inner` solves p and wants a scratchpad of `inner_bytes`.
    layout_adapter(const problem &p, const adapted_layouts &layouts, std::shared_ptr<const executor> inner,
                   size_t inner_bytes);

    size_t scratchpad_bytes() const { return bytes_; } // of both
    bool copies() const { return !copies_.empty(); }   // otherwise the inner one would do

    // As the inner one; the pointers of the arguments are the data handles of the layouts.
    jitnorm_status_t execute(const arguments &args) const override;

private:
    struct copy {
        slot place;
        memory_desc outside, inside;
        bool is_output;
        size_t offset = 0; // of the copy in the scratchpad
    };
    void add(copy what);

    std::shared_ptr<const executor> inner_;
    std::vector<copy> copies_;
    size_t bytes_;
};

} // namespace jitnorm::impl::layer_norm
