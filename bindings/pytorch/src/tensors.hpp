// SPDX-License-Identifier: Apache-2.0
// tensors: small steps between tensors and requests, for all normalizations.
#pragma once

#include <ATen/core/Tensor.h>

#include <limits>

#include "empty.hpp"
#include "prepared.hpp"

namespace jitnorm_torch {

using optional_tensor = c10::optional<at::Tensor>;

inline at::Tensor or_none(const optional_tensor &tensor) { return tensor.has_value() ? *tensor : at::Tensor(); }

inline int64_t type_of(at::ScalarType type, const char *what) {
    switch (type) {
    case at::kFloat:
        return jitnorm_f32;
    case at::kBFloat16:
        return jitnorm_bf16;
    case at::kHalf:
        return jitnorm_f16;
    case at::kDouble:
        return jitnorm_f64;
    default:
        TORCH_CHECK(false, "jitnorm normalizes float32, bfloat16, float16 and float64, but ", what, " is ", type);
    }
}

inline int64_t type_of(const at::Tensor &tensor, const char *what = "the input") {
    return type_of(tensor.scalar_type(), what);
}

// The type of values between the input and the output.
inline at::ScalarType computed_in(const at::Tensor &input) {
    return input.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

// The dispatcher gives a call with a tensor of another device to that device, but a caller can ask it for the CPU's
// function.
inline void check_device(const char *what, const at::Tensor &tensor) {
    TORCH_CHECK(!tensor.defined() || tensor.device().is_cpu(), "jitnorm normalizes tensors on the CPU, but ", what,
                " is on ", tensor.device());
}

inline void check_same_shape(const char *what, const at::Tensor &tensor, const at::Tensor &input) {
    TORCH_CHECK(tensor.defined(), what, " is missing");
    TORCH_CHECK(tensor.sizes().equals(input.sizes()), what, " must have the shape ", input.sizes(), ", not ",
                tensor.sizes());
}

inline void check_statistics(const char *what, const at::Tensor &tensor, int64_t row_count) {
    TORCH_CHECK(tensor.numel() == row_count, what, " must have one element for each of ", row_count, " rows, not ",
                tensor.numel());
}

inline request make_request(jitnorm_prop_kind_t kind, const at::Tensor &input, double epsilon) {
    request asked;
    asked.kind = kind;
    asked.type = type_of(input);
    asked.affine_type = jitnorm_f32;
    asked.set_epsilon(epsilon);
    return asked;
}

inline int64_t flags_of(bool rms, bool scale, bool shift, bool plus_one, bool rounds) {
    const auto flag = [](bool wanted, jitnorm_normalization_flags_t value) { return wanted ? int64_t(value) : 0; };
    return int64_t(jitnorm_inverse_deviation) | flag(rms, jitnorm_rms_norm) | flag(scale, jitnorm_use_scale) |
           flag(shift, jitnorm_use_shift) | flag(scale && plus_one, jitnorm_scale_plus_one) |
           flag(rounds, jitnorm_round_normalized);
}

// The sizes are the input's, but 1 for the normalized dimensions.
inline at::Tensor empty_statistics(const at::Tensor &input, size_t normalized) {
    c10::SmallVector<int64_t, 8> sizes(input.sizes().begin(), input.sizes().end());
    std::fill(sizes.end() - std::ptrdiff_t(normalized), sizes.end(), 1);
    return empty(sizes, at::kFloat);
}

// The type of a result: the input's, or, if the normalized values are rounded to it before the weight, that in which
// PyTorch multiplies the two.
inline at::ScalarType result_type(at::ScalarType input, const optional_tensor &weight, bool rounds) {
    if (!rounds || !weight.has_value() || !weight->defined()) return input;
    return at::promoteTypes(input, weight->scalar_type());
}

inline at::Tensor empty_data(const at::Tensor &like) { return empty(like.sizes(), like.scalar_type()); }

inline at::Tensor in_type(const at::Tensor &tensor, at::ScalarType type) {
    return tensor.defined() && tensor.scalar_type() != type ? tensor.to(type) : tensor;
}

// The default is the epsilon of the type that is computed in, as in torch.nn.functional.rms_norm: of float64 for
// float64, of float32 for all other types.
inline double epsilon_or_default(c10::optional<double> epsilon, at::ScalarType type) {
    if (epsilon.has_value()) return *epsilon;
    return type == at::kDouble ? std::numeric_limits<double>::epsilon() : double(std::numeric_limits<float>::epsilon());
}

inline double epsilon_or_default(c10::optional<double> epsilon, const at::Tensor &input) {
    return epsilon_or_default(epsilon, input.scalar_type());
}

inline void *data_of(const at::Tensor &tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

// An int8 result: its values, and float32 scales by which they are to be multiplied: one that is given, or one for each
// row, with the input's sizes, but 1 for the normalized dimensions.
struct quantized {
    at::Tensor output, scale;
};

// Makes the tensors of a quantized result, and asks for it. `given` may be undefined: then scales are found.
inline quantized ask_quantized(const at::Tensor &input, size_t normalized, const at::Tensor &given, request &asked,
                               pointers &tensors) {
    check_device("the scale", given);
    TORCH_CHECK(!given.defined() || (given.numel() == 1 && given.scalar_type() == at::kFloat),
                "the scale of an int8 result must be one float32");
    asked.quantizes = given.defined() ? 1 : 2;
    asked.result_type = jitnorm_s8;
    const quantized made = {empty(input.sizes(), at::kChar),
                            given.defined() ? given.clone() : empty_statistics(input, normalized)};
    tensors[DST_SCALE] = data_of(made.scale);
    return made;
}

} // namespace jitnorm_torch
