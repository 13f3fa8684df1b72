// SPDX-License-Identifier: Apache-2.0
// prepared: a primitive with the memories of its tensors, ready to be run again with other pointers. Each thread keeps
// those that it used of late.
#pragma once

#include <array>
#include <jitnorm/jitnorm.hpp>
#include <vector>

#include "rows.hpp"

namespace jitnorm_torch {

// All that decides which primitive it is. Of numbers of one size, so that two are equal when their bytes are.
struct request {
    int64_t kind = 0;                     // jitnorm_prop_kind_t
    int64_t flags = 0;                    // jitnorm_normalization_flags_t
    int64_t epsilon = 0;                  // the bits of a float
    int64_t type = 0, affine_type = 0;    // jitnorm_data_type_t: of data; of scale, shift and their gradients
    int64_t first_row = 0, all_rows = -1; // backward of some rows of a larger problem: which; -1 otherwise
    int64_t adds = 0;                     // forward: src and a residual; backward: the gradient of their sum. 0 or 1
    rows data; // forward src, dst, residual, sum; backward src, diff_dst, diff_src, the gradient of the sum

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
    SLOTS
};

using pointers = std::array<void *, SLOTS>; // null: there is no such tensor

class prepared {
public:
    explicit prepared(const request &asked);

    // On PyTorch's threads.
    void run(const pointers &tensors);

private:
    jitnorm::primitive primitive_;
    int64_t elements_;
    std::vector<jitnorm::memory> memories_;
    std::vector<jitnorm_exec_arg_t> arguments_;
    std::vector<tensor_slot> slots_; // of each argument
};

// How many sums of a column a request with all_rows gives.
int64_t partial_sums(const request &asked);

// The calling thread's. It stays until the thread's next call.
prepared &prepare(const request &asked);

// The stream of the calling thread for so much work: it runs on PyTorch's threads.
jitnorm_stream_t stream_of_thread(int64_t elements);

const jitnorm::engine &cpu();

} // namespace jitnorm_torch
