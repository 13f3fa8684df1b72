// SPDX-License-Identifier: Apache-2.0
// Tensors as values, and the expected result of a normalization of them, in double.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <vector>

namespace support {

using dims = std::vector<int64_t>;
using type = ONNXTensorElementDataType;
constexpr type F32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, F16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16,
               BF16 = ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, F64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE,
               I64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;

int64_t count(const dims &shape);

// Elements as they are in memory.
class tensor {
public:
    tensor() = default;
    tensor(type its, dims shape, const std::vector<double> &values = {}); // rounds the values
    static tensor copy_of(type its, dims shape, const void *elements);

    type element_type() const { return type_; }
    const dims &shape() const { return shape_; }
    const void *data() const { return lines_.data(); }
    void *data() { return lines_.data(); }
    size_t bytes() const { return bytes_; }
    std::vector<double> values() const;

private:
    struct alignas(64) line { // tensors begin where those begin that ONNX Runtime allocates
        std::byte bytes[64];
    };
    type type_ = F32;
    dims shape_;
    size_t bytes_ = 0;
    std::vector<line> lines_;
};

// Reproducible numbers around `mean`.
tensor random(type its, const dims &shape, unsigned seed, double mean = 0, double spread = 1);

struct expected {
    std::vector<double> y, mean, rstd, sum;
};

struct norm_in_double {
    bool rms = false;
    double epsilon = 1e-5;
    // x, and what is added to it, are of one size; scale and shift have one element for each of the columns.
    expected compute(const std::vector<double> &x, const std::vector<double> &scale,
                     const std::vector<double> &shift) const;
};

// The elements of `from` repeated to `shape` as NumPy broadcasts.
std::vector<double> broadcast(const tensor &from, const dims &shape);

// The largest difference.
double distance(const std::vector<double> &a, const std::vector<double> &b);

} // namespace support
