// SPDX-License-Identifier: Apache-2.0
// post_op_operands: finds the operands of binary post-ops in the form that a normalization takes: for every row
// and post-op a pointer to dense elements, or to the one value for the whole row.
#pragma once

#include <cstddef>
#include <vector>

#include "../jit/configurations.hpp"
#include "../norm/plan.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"

namespace jitnorm::impl::layer_norm {

// A range of rows and a range of columns.
struct window {
    dim_t first_row, rows, first_column, columns;
};

// The value of post_op_conf::operand for the post-op.
jitnorm_data_type_t type_for_kernel(const binary_post_op &op, const problem &p);
// The size of the tiles for windows of so many rows and columns; 0: locate() needs none.
dim_t operand_bytes(const problem &p, dim_t rows, dim_t columns);

template <typename T> // the compute type
class post_op_operands {
public:
    // Rows are numbered in row-major order of dst's row dimensions. `in_kernel` are the post-ops of the kernel, which
    // may have been made for p with run-time sizes.
    post_op_operands(const problem &p, const std::vector<jit::post_op_conf> &in_kernel);

    // The entry [r * size() + i] is for row r of the window and post-op i. Entries of post-ops without a tensor are
    // undefined.
    struct table {
        const void *pointers[MAX_BATCH_ROWS * MAX_POST_OPS];
        T values[MAX_BATCH_ROWS * MAX_POST_OPS]; // the values for whole rows, to which pointers may point
    };
    // Fills the table for a window of at most MAX_BATCH_ROWS rows. Operands that cannot be read in place are gathered
    // to `tiles`, which has operand_bytes().
    void locate(const arguments &args, const window &where, std::byte *tiles, table &found) const;

    dim_t size() const { return count_; } // the number of all post-ops

private:
    struct operand {
        size_t index; // of the post-op
        jitnorm_data_type_t type;
        row_packer rows;
        bool one_value, gathered; // a whole row gets one value; rows are gathered
    };
    void locate_one(const operand &o, const void *tensor, const window &where, table &found) const;
    void gather_one(const operand &o, const void *tensor, const window &where, std::byte *tile, table &found) const;

    dim_t count_;
    std::vector<operand> operands_;
};

} // namespace jitnorm::impl::layer_norm
