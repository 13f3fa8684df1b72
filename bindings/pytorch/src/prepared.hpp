// SPDX-License-Identifier: Apache-2.0
// prepared: a primitive and memory objects for its tensors. It can be run again with other pointers. Each thread keeps
// those that it has used recently.
#pragma once

#include <array>
#include <jitnorm/jitnorm.hpp>
#include <vector>

#include "rows.hpp"

namespace jitnorm_torch {

// All that decides which primitive is made. The fields have one size, so that there is no padding: two requests are
// equal if their bytes are.
struct request {
    int64_t kind = 0;                           // jitnorm_prop_kind_t
    int64_t flags = 0;                          // jitnorm_normalization_flags_t
    int64_t epsilon = 0;                        // the bits of a double
    int64_t type = 0, affine_type = 0;          // jitnorm_data_type_t of data; of scale, shift and their gradients
    int64_t first_row = 0, all_rows = -1;       // row_range of partial_backward(); for all else all_rows is -1
    int64_t first_column = 0, all_columns = -1; // column_range; for whole rows all_columns is -1
    int64_t moments = 0;                        // 1 for moments(): there is no dst
    // 1 if a residual is added (forward) or the gradient of the sum (backward); 2 if src is multiplied by silu of the
    // residual and the product is kept nowhere
    int64_t adds = 0;
    int64_t residual_type = 0, result_type = 0; // jitnorm_data_type_t of the residual; of dst or diff_dst; or 0: type
    int64_t sum_type = 0;                       // of the sum or its gradient, or 0: type
    int64_t by_rows = 0;                        // 1 if scale and shift have row dimensions
    int64_t gradient_type = 0;     // jitnorm_data_type_t of the gradients of scale and shift, or 0: affine_type
    int64_t operations[2] = {};    // jitnorm_alg_kind_t of binary post-ops, or 0
    int64_t operand_types[2] = {}; // jitnorm_data_type_t of their operands
    int64_t quantizes = 0;         // 1 if dst has a scale that is given, 2 with one found for each row
    // The rows of the tensors of data, in this order. Forward: src, dst, residual, sum. Backward: src, diff_dst,
    // diff_src, the gradient of the sum. If by_rows is 1, there is no sum, and those that the primitive has of these
    // tensors follow: scale and, forward, shift and the operands of post-ops, or, backward, the gradient of scale,
    // whose layout is also that of the gradient of shift. A stride of 0 is a dimension along which the tensor has the
    // size 1.
    rows data;

    // Rounds it to a float unless `type`, which must be set, is float64: then statistics are computed in float64, too.
    void set_epsilon(double value);
};

enum tensor_slot {
    SRC,
    DST,
    MEAN,
    VARIANCE,
    SCALE,
    SHIFT,
    DIFF_DST,
    DIFF_SRC,
    DIFF_SCALE,
    DIFF_SHIFT,
    RESIDUAL,
    SUM,
    DIFF_SUM,
    ROW_SUMS,
    OPERAND_0,
    OPERAND_1,
    DST_SCALE,
    SLOTS
};

using pointers = std::array<void *, SLOTS>; // to the data of each tensor; null if the primitive does not have it

class prepared {
public:
    explicit prepared(const request &asked);

    // Runs on PyTorch's threads.
    void run(const pointers &tensors);

private:
    jitnorm::primitive primitive_;
    int64_t elements_;
    std::vector<jitnorm::memory> memories_;
    std::vector<jitnorm_exec_arg_t> arguments_;
    std::vector<tensor_slot> slots_; // of each argument
};

// The number of sums for each column that a request of partial_backward() gives.
int64_t partial_sums(const request &asked);

// Completes the request with the rows of the tensors, whose last `normalized` dimensions are the columns, and finds the
// calling thread's primitive for it, or makes one. The tensors broadcast to the first one's shape; undefined ones are
// left out. If primitives do not have such layouts, since they need too many dimensions or since elements overlap, the
// tensors are replaced by contiguous copies. A result is contiguous already, so that it is not replaced. The reference
// is valid until the thread calls prepare() again.
prepared &prepare(request &asked, std::initializer_list<at::Tensor *> tensors, int64_t normalized);

// The calling thread's stream for an execution on tensors of so many elements. It runs on PyTorch's threads.
jitnorm_stream_t stream_of_thread(int64_t elements);

const jitnorm::engine &cpu();

// Switches the library's own lines about failures off, unless the user has set JITNORM_VERBOSE: a failure becomes an
// exception.
void be_quiet();

} // namespace jitnorm_torch
