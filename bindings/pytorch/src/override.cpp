// SPDX-License-Identifier: Apache-2.0
#include "override.hpp"

#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <torch/library.h>
#include <torch/version.h>

#include <atomic>
#include <limits>

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
#include <ATen/ops/_fused_rms_norm_compositeimplicitautograd_dispatch.h>
#endif

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;

// Bit 0: the override is switched on. The others count the scopes that threads are within.
constexpr int64_t SWITCH = 1, SCOPE = 2;
std::atomic<int64_t> reasons = 0;

// Float64 stays PyTorch's, because its statistics must be float64, and those of primitives are float32. So do the types
// that PyTorch refuses, so that it refuses them itself.
bool is_type_of_jitnorm(const Tensor &tensor) {
    const auto type = tensor.scalar_type();
    return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

bool takes(const Tensor &input) { return reasons.load(std::memory_order_relaxed) != 0 && is_type_of_jitnorm(input); }

// Whether the statistics are of the type that PyTorch's own forward gives. Those of jitnorm are float32, which
// PyTorch's backward takes with narrow types only if weight and bias are float32; version 1 takes no such weight and
// bias.
bool are_of_torch(const Tensor &mean, const Tensor &input, const optional_tensor &weight, const optional_tensor &bias) {
    const auto is_wider = [&](const optional_tensor &affine) {
        return TORCH_VERSION_MAJOR > 1 && affine.has_value() && affine->defined() &&
               affine->scalar_type() != input.scalar_type();
    };
    return mean.scalar_type() == (is_wider(weight) || is_wider(bias) ? at::kFloat : input.scalar_type());
}

// PyTorch has no weights with dimensions of rows.
void check_weight(const optional_tensor &weight, IntArrayRef shape) {
    TORCH_CHECK(!weight.has_value() || !weight->defined() || weight->sizes().equals(shape), "another shape");
}

// What jitnorm refuses is PyTorch's, which computes it or says in its own words why it does not.
template <typename Own, typename Torchs>
auto unless_refused(Own compute, Torchs otherwise) {
    try {
        return compute();
    } catch (const jitnorm::error &) {
    } catch (const c10::Error &) {
    }
    return otherwise();
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor &input, IntArrayRef shape,
                                                     const optional_tensor &weight, const optional_tensor &bias,
                                                     double epsilon) {
    using results = std::tuple<Tensor, Tensor, Tensor>;
    const auto torchs = [&]() -> results { return at::native::layer_norm_cpu(input, shape, weight, bias, epsilon); };
    if (!takes(input)) return torchs();
    return unless_refused(
        [&]() -> results {
            check_weight(weight, shape);
            normalized made = forward(input, {shape, weight, bias, epsilon, false}, true);
            return {std::move(made.output), std::move(made.mean), std::move(made.rstd)};
        },
        torchs);
}

// The override may have been switched since forward. What jitnorm refuses here stays an error: PyTorch's function would
// read beyond tensors that are too small. But if PyTorch refuses forward with these tensors, its words come first.
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(const Tensor &gradient, const Tensor &input,
                                                              IntArrayRef shape, const Tensor &mean, const Tensor &rstd,
                                                              const optional_tensor &weight,
                                                              const optional_tensor &bias, std::array<bool, 3> mask) {
    if (!takes(input) && (!is_type_of_jitnorm(input) || are_of_torch(mean, input, weight, bias)))
        return at::native::layer_norm_backward_cpu(gradient, input, shape, mean, rstd, weight, bias, mask);
    try {
        check_weight(weight, shape);
        gradients made =
            backward(gradient, input, mean, rstd, {shape, weight, bias, 0, false}, {mask[0], mask[1], mask[2]});
        return {std::move(made.input), std::move(made.weight), std::move(made.bias)};
    } catch (const std::exception &) {
        at::native::layer_norm_cpu(input, shape, weight, bias, 0);
        throw;
    }
}

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
std::tuple<Tensor, Tensor> fused_rms_norm(const Tensor &input, IntArrayRef shape, const optional_tensor &weight,
                                          c10::optional<double> epsilon) {
    using results = std::tuple<Tensor, Tensor>;
    const auto torchs = [&]() -> results {
        return at::compositeimplicitautograd::_fused_rms_norm(input, shape, weight, epsilon);
    };
    if (!takes_rms_norm(input, weight.value_or(Tensor()))) return torchs();
    return unless_refused(
        [&]() -> results {
            check_weight(weight, shape);
            const double number = epsilon.value_or(double(std::numeric_limits<float>::epsilon()));
            normalized made = forward(input, {shape, weight, {}, number, true}, true);
            return {std::move(made.output), std::move(made.rstd)};
        },
        torchs);
}
#endif

// PyTorch warns when a kernel replaces another one. Here that is what the user has asked for, so the warning is off.
#if TORCH_VERSION_MAJOR >= 2
using c10::WarningUtils::WarningHandlerGuard;
class no_warnings : public c10::WarningHandler {
    void process(const c10::Warning &) override {}
};
#else
using c10::Warning::WarningHandlerGuard;
class no_warnings : public c10::WarningHandler {
    void process(const c10::SourceLocation &, const std::string &, bool) override {}
};
#endif

// TORCH_FN makes the functions a part of a type. An object with their addresses would have to fit to the code that
// reads it, and a thread that calls the operator during the registration may see one of both before the other.
torch::Library *make_override() {
    no_warnings quiet;
    const WarningHandlerGuard scope(&quiet);
    auto *const aten = new torch::Library(torch::Library::IMPL, "aten", c10::nullopt, __FILE__, uint32_t(__LINE__));
    aten->impl("native_layer_norm", c10::DispatchKey::CPU, TORCH_FN(native_layer_norm));
    aten->impl("native_layer_norm_backward", c10::DispatchKey::CPU, TORCH_FN(native_layer_norm_backward));
#ifdef JITNORM_TORCH_FUSED_RMS_NORM
    aten->impl("_fused_rms_norm", c10::DispatchKey::CPU, TORCH_FN(fused_rms_norm));
    aten->impl("_fused_rms_norm", c10::DispatchKey::AutogradCPU, TORCH_FN(record_fused_rms_norm));
#endif
    return aten;
}

// A torch::Library gives PyTorch's functions their place back when it is destroyed: this one never is.
void register_once() {
    static const torch::Library *const registered = make_override();
    static_cast<void>(registered);
}

} // namespace

void switch_override(bool on) {
    if (on) register_once();
    on ? reasons.fetch_or(SWITCH) : reasons.fetch_and(~SWITCH);
}

void scope_override(bool enter) {
    if (enter) register_once();
    reasons.fetch_add(enter ? SCOPE : -SCOPE);
}

#ifdef JITNORM_TORCH_FUSED_RMS_NORM
// A tensor with a dispatch in Python is traced or otherwise not what it seems to be: it gets what it has always got.
bool takes_rms_norm(const Tensor &input, const Tensor &weight) {
    if (!takes(input) || input.unsafeGetTensorImpl()->is_python_dispatch()) return false;
    return !weight.defined() || (weight.scalar_type() == input.scalar_type() && weight.device() == input.device());
}
#endif

} // namespace jitnorm_torch
