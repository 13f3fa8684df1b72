// SPDX-License-Identifier: Apache-2.0
#include "override.hpp"

#include <ATen/ops/native_layer_norm_backward_native.h>
#include <ATen/ops/native_layer_norm_native.h>
#include <torch/library.h>
#include <torch/version.h>

#include <memory>
#include <mutex>

#include "normalize.hpp"

namespace jitnorm_torch {

namespace {

using at::IntArrayRef;
using at::Tensor;

// Whether jitnorm takes the call. PyTorch keeps float64, because the statistics must then be float64, and those of
// primitives are float32. It also keeps the types that it refuses, so that it refuses them itself.
bool is_ours(const Tensor &input) {
    const auto type = input.scalar_type();
    return type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor &input, IntArrayRef shape,
                                                     const optional_tensor &weight, const optional_tensor &bias,
                                                     double epsilon) {
    if (!is_ours(input)) return at::native::layer_norm_cpu(input, shape, weight, bias, epsilon);
    normalized made = forward(input, {shape, weight, bias, epsilon, false}, true);
    return {std::move(made.output), std::move(made.mean), std::move(made.rstd)};
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(const Tensor &gradient, const Tensor &input,
                                                              IntArrayRef shape, const Tensor &mean, const Tensor &rstd,
                                                              const optional_tensor &weight,
                                                              const optional_tensor &bias, std::array<bool, 3> mask) {
    if (!is_ours(input))
        return at::native::layer_norm_backward_cpu(gradient, input, shape, mean, rstd, weight, bias, mask);
    gradients made =
        backward(gradient, input, mean, rstd, {shape, weight, bias, 0, false}, {mask[0], mask[1], mask[2]});
    return {std::move(made.input), std::move(made.weight), std::move(made.bias)};
}

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

std::unique_ptr<torch::Library> make_override() {
    no_warnings quiet;
    const WarningHandlerGuard scope(&quiet);
    auto made = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::CPU, __FILE__,
                                                 uint32_t(__LINE__));
    made->impl("native_layer_norm", &native_layer_norm);
    made->impl("native_layer_norm_backward", &native_layer_norm_backward);
    return made;
}

} // namespace

// The override lasts as long as a torch::Library object: its destructor gives PyTorch's kernels their place back. The
// pointer to the object is never destroyed, because at the process's end the dispatcher may be gone.
bool override_native(bool wanted) {
    static std::mutex mutex;
    static auto *const current = new std::unique_ptr<torch::Library>;
    const std::lock_guard lock(mutex);
    const bool before = *current != nullptr;
    if (wanted != before) *current = wanted ? make_override() : nullptr;
    return before;
}

} // namespace jitnorm_torch
