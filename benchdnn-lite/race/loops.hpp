// SPDX-License-Identifier: Apache-2.0
// loops: plain loops over vectors. They move tensors, or normalize rows, as somebody would write it who knows types and
// sizes. They are in loops.inc and rows.inc, which are compiled for each instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace benchdnn_lite {

constexpr size_t LINE = 64; // bytes

// Tensors that one loop moves. The i-th output receives the data of the i-th input, or of the last one if there are
// fewer; it may be that tensor itself. So no input changes.
struct moved_tensors {
    struct tensor {
        char *data = nullptr;
        size_t lines = 1; // whole lines that a step reads or writes
        char *line(size_t step, size_t number) const { return data + (step * lines + number) * LINE; }
    };
    static constexpr size_t MOST = 4;
    std::array<tensor, MOST> read, written;
    size_t inputs = 0, outputs = 0, steps = SIZE_MAX;
    uint64_t mask = 0;     // always 0, which the compiler does not know: it must read all inputs
    bool are_alike = true; // a step moves one line of each
};

// Dense rows. Their types are all f32, or all bf16 except for scale, shift and statistics. Null: there is no such
// tensor.
struct plain_rows {
    const void *src = nullptr, *added = nullptr;
    void *sum = nullptr, *dst = nullptr; // sum: not null if `added` is not
    const float *scale = nullptr, *shift = nullptr;
    float *mean = nullptr, *variance = nullptr;
    size_t columns = 0;
    float epsilon = 0;
    bool is_rms = false, is_bf16 = false;
};

struct loops {
    // Moves the steps from `begin` to before `end`. Non-temporal stores need data that are aligned to lines.
    void (*move)(const moved_tensors &tensors, bool non_temporal, size_t begin, size_t end);
    // Normalize the rows from `begin` to before `end`. Where a mean is large beside the deviation, the result is
    // inexact. The first pass over a row finds the sum and the sum of squares, with a residual of the rounded sums,
    // which it stores. The second writes dst. In passes: row by row. In bands: the first pass over up to eight rows,
    // then the scalar steps of all of them, then the second pass, over two rows at a time.
    void (*normalize_in_passes)(const plain_rows &rows, size_t begin, size_t end);
    void (*normalize_in_bands)(const plain_rows &rows, size_t begin, size_t end);
};

// The loops for the best instruction set that the library may use. Null: that is less than AVX2.
const loops *best_loops();

} // namespace benchdnn_lite
