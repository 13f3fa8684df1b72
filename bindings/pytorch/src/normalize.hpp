// SPDX-License-Identifier: Apache-2.0
// normalize: layer and RMS normalization of tensors on a CPU, and their gradients, without autograd. A failure is an
// exception.
#pragma once

#include <tuple>

#include "tensors.hpp"

namespace jitnorm_torch {

// The parameters of a normalization. A weight that is absent or undefined stands for ones, such a bias for zeros. Both
// have the normalized shape. In forward() and backward() a weight, and a bias with it, may have dimensions of rows
// before the one that is normalized, which are 1 or the input's.
struct norm {
    at::IntArrayRef shape; // the last dimensions of the input, which are normalized together
    const optional_tensor &weight, &bias;
    double epsilon;
    bool rms;              // RMS normalization, which has no mean and no bias
    bool plus_one = false; // the weight is stored minus one
    // The normalized values are rounded to the input's type before the weight; result_type() is that of the output.
    bool rounds = false;

    int64_t axes() const { return int64_t(shape.size()); } // how many dimensions are normalized
};

// The output and the sum are contiguous and have the input's shape and, but for norm::rounds, its type. Mean and rstd
// are contiguous f32 tensors with the input's sizes, but 1 for the normalized dimensions; they are undefined if they
// are not wanted. The mean of RMS normalization is always undefined, and so is the sum of forward().
struct normalized {
    at::Tensor output, mean, rstd, sum;
};
normalized forward(const at::Tensor &input, const norm &how, bool wants_statistics);
// The type of the sum of the two: as PyTorch adds, their common type.
at::ScalarType sum_type(const at::Tensor &input, const at::Tensor &residual);
// Normalizes the sum of input and residual, which must have the same shape. The sum is a result, too. Both results have
// the sum's type, but for norm::rounds.
normalized add_forward(const at::Tensor &input, const at::Tensor &residual, const norm &how, bool wants_statistics);

// The same with an int8 result. `scale` may be undefined: then a scale is found for each row.
quantized quantized_forward(const at::Tensor &input, const norm &how, const at::Tensor &scale);

struct wanted_gradients {
    bool input, weight, bias;
};

// The gradients of these tensors. Each is contiguous and has the type of its tensor, but that of a bias that is not
// given: the weight's, or without one the type that is computed in. One that is not wanted, and that of a weight that
// is absent, is undefined.
struct gradients {
    at::Tensor input, weight, bias;
};
// grad_input is added to the input's gradient: it is the gradient from all else that reads the input. It may be
// undefined.
gradients backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                   const at::Tensor &rstd, const norm &how, wanted_gradients wanted, const at::Tensor &grad_input = {});

// Which rows the input has, if processes share rows: the number of its first row, and the number of all rows.
struct row_range {
    int64_t first, all;
};

// Backward on some of the rows. In place of the gradients of weight and bias the result has their sums over parts of
// the rows (jitnorm_partial.h): contiguous float64 tensors with one row for each part.
gradients partial_backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                           const at::Tensor &rstd, const norm &how, wanted_gradients wanted, row_range range);

// Adds the sums of `rows` rows, beginning at range.first, to the running sums of the rows before them. `running` is a
// contiguous float64 tensor of 2 rows, zeros in the beginning. When all rows are added, its first row is the gradient
// of weight or bias. Both tensors may be some of `columns` columns.
void add_partial_gradients(const at::Tensor &running, const at::Tensor &sums, int64_t rows, row_range range,
                           int64_t columns);

// The number of rows of sums that partial_backward() gives for `rows` rows.
int64_t partial_sums(int64_t rows, int64_t columns, row_range range);

// Which columns the input has, if processes share columns: the number of its first column, and the number of all.
struct column_range {
    int64_t first, all;
};

// The moments of each chunk of the input's columns, which are its last dimension (jitnorm_partial.h): a contiguous
// float64 tensor with the input's other dimensions, then the chunks, then 4 numbers.
at::Tensor chunk_moments(const at::Tensor &input, bool rms, column_range range);

// Merges moments of ranges of columns, which are in the order of the columns, to those of rows: a contiguous float64
// tensor with the same dimensions, but without that of the chunks. `columns` has the number of columns of each range,
// `type` is the input's.
at::Tensor merge_moments(at::TensorList moments, at::IntArrayRef columns, at::ScalarType type);

// Forward on some of the columns, from the moments of whole rows. The output has the input's shape and type.
at::Tensor partial_forward(const at::Tensor &input, const at::Tensor &moments, const norm &how, column_range range);

} // namespace jitnorm_torch
