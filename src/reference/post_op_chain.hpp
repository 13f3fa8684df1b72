// SPDX-License-Identifier: Apache-2.0
// post_op_chain: the post-ops of a problem, applied in order to a piece of a row.
#pragma once

#include <vector>

#include "../core/executor.hpp"
#include "../core/problem.hpp"
#include "tensor_rows.hpp"

namespace jitnorm::impl::layer_norm::reference {

constexpr dim_t TILE = 512; // elements that pass through the stack together where their order does not matter

class post_op_chain {
public:
    explicit post_op_chain(const problem &p);

    // y holds elements begin .. begin+count-1 of a row of dst, count <= TILE; args[DST] still holds the old ones.
    template <typename T>
    void apply(const arguments &args, dim_t row, dim_t begin, dim_t count, T *y) const;

private:
    struct link {
        post_op op;
        tensor_rows operand; // what is combined with y: dst's old values or src1; none for eltwise
    };
    std::vector<link> links_;
};

} // namespace jitnorm::impl::layer_norm::reference
