// SPDX-License-Identifier: Apache-2.0
// normalize: layer and RMS normalization of tensors on a CPU, and their gradients. No autograd here.
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

namespace jitnorm_torch {

using optional_tensor = c10::optional<at::Tensor>;

// What a normalization has beside its input. An affine tensor that is absent or undefined stands for ones or zeros.
struct norm {
    at::IntArrayRef shape; // the last dimensions of the input, which are normalized together
    const optional_tensor &weight, &bias;
    double epsilon;
    bool rms; // without a mean; there is no bias
};

// The output and the sum are contiguous and have the input's type. Statistics, contiguous f32 with sizes of 1 for what
// is normalized, are undefined where they are not wanted, and the mean of rms is always.
struct normalized {
    at::Tensor output, mean, rstd, sum;
};
normalized forward(const at::Tensor &input, const norm &how, bool wants_statistics);
// The same of input + residual, of one shape and type, which is a result too.
normalized add_forward(const at::Tensor &input, const at::Tensor &residual, const norm &how, bool wants_statistics);

struct wanted_gradients {
    bool input, weight, bias;
};

// Contiguous, of the types of the tensors that they belong to; undefined where they are not wanted.
struct gradients {
    at::Tensor input, weight, bias;
};
// grad_input: the gradient of the input from all else that reads it, which is added; undefined for none.
gradients backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                   const at::Tensor &rstd, const norm &how, wanted_gradients wanted, const at::Tensor &grad_input = {});

// The input has some rows of all those that processes share.
struct row_range {
    int64_t first, all;
};

// The same, but that in the place of the gradients of weight and bias there are their sums over parts of the rows
// (jitnorm_partial.h), float64, a row of sums after the other.
gradients partial_backward(const at::Tensor &grad_output, const at::Tensor &input, const at::Tensor &mean,
                           const at::Tensor &rstd, const norm &how, wanted_gradients wanted, row_range range);

// Adds the sums of so many rows to the running sums of the rows before them, float64 of 2 rows, zeros at first. After
// the last of all rows the first row is the gradient of weight or bias.
void add_partial_gradients(const at::Tensor &running, const at::Tensor &sums, int64_t rows, row_range range);

} // namespace jitnorm_torch
