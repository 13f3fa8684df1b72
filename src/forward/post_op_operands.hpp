// SPDX-License-Identifier: Apache-2.0
// post_op_operands: the tensors of a problem's binary post-ops as the normalize kernel takes them: for every row and
// post-op a pointer to dense elements, or to the one value that the whole row gets.
#pragma once

#include <cstddef>
#include <vector>

#include "../core/executor.hpp"
#include "../core/plan.hpp"
#include "../core/problem.hpp"
#include "../layout/row_packer.hpp"

namespace jitnorm::impl::layer_norm {

// Some rows and columns of the problem.
struct window {
    dim_t first_row, rows, first_column, columns;
};

template <typename T> // the compute type
class post_op_operands {
public:
    // Rows are numbered row-major over dst's row dimensions. kernel_types: what the kernel was made to read for each
    // post-op, by type_for_kernel() of a problem that has these sizes or leaves them to run time.
    post_op_operands(const problem &p, const std::vector<jitnorm_data_type_t> &kernel_types);

    // Entry [r * size() + i] is for row r of the window and post-op i; those of post-ops without a tensor are unused.
    struct table {
        const void *pointers[MAX_BATCH_ROWS * MAX_POST_OPS];
        T values[MAX_BATCH_ROWS * MAX_POST_OPS]; // that pointers of whole rows lead to
    };
    // The window has at most MAX_BATCH_ROWS rows. What cannot be read in place is gathered to `tiles`.
    void locate(const arguments &args, const window &where, std::byte *tiles, table &found) const;

    dim_t size() const { return count_; } // the number of post-ops

    // What post_op_conf::operand says of the post-op.
    static jitnorm_data_type_t type_for_kernel(const binary_post_op &op, int row_ndims);
    // Whether locate() needs tiles, and how large they are for windows of so many rows and columns.
    static bool needs_tiles(const problem &p);
    static dim_t tiles_bytes(const problem &p, dim_t rows, dim_t columns);

private:
    struct operand {
        size_t index; // of the post-op
        jitnorm_data_type_t type;
        row_packer rows;
        bool one_value, gathered;
    };
    void locate_one(const operand &o, const void *tensor, const window &where, table &found) const;
    void gather_one(const operand &o, const void *tensor, const window &where, std::byte *tile, table &found) const;

    dim_t count_;
    std::vector<operand> operands_;
};

} // namespace jitnorm::impl::layer_norm
