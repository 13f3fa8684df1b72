// SPDX-License-Identifier: Apache-2.0
// post_op_chain: the post-ops of a problem, applied in order to a piece of a row.
#pragma once

#include <vector>

#include "../norm/executor.hpp"
#include "../norm/problem.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm::reference {

constexpr dim_t TILE = 512; // elements on which the reference works at a time, in arrays on the stack

class post_op_chain {
public:
    explicit post_op_chain(const problem &p);

    // Applies the post-ops to y, the elements begin .. begin+count-1 of a row before they are stored to dst; count <=
    // TILE. dst still holds its old values, which a sum post-op reads.
    template <typename T>
    void apply(const arguments &args, dim_t row, dim_t begin, dim_t count, T *y) const;

private:
    struct link {
        post_op op;
        tensor_rows operand; // the tensor that is combined with y: dst (sum) or src1 (binary); empty for eltwise
    };
    std::vector<link> links_;
};

} // namespace jitnorm::impl::layer_norm::reference
