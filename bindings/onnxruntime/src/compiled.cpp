// SPDX-License-Identifier: Apache-2.0
#include "compiled.hpp"

#include <algorithm>

namespace jitnorm_onnxruntime {

namespace {

constexpr size_t MAX_IDLE = 32; // executions of a node: as many shapes, or shapes and threads

size_t bytes_of(const tensor &weight, const dims &normalized) {
    size_t bytes = weight.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT ? 4 : 2;
    for (const int64_t size : normalized) bytes *= size_t(size);
    return bytes;
}

shape shape_of(const runtime &ort, const OrtValue *value) {
    OrtTensorTypeAndShapeInfo *info = ort.get<&OrtApi::GetTensorTypeAndShape>(value);
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, void (*)(OrtTensorTypeAndShapeInfo *)> owner(
        info, ort->ReleaseTensorTypeAndShapeInfo);
    shape found;
    found.rank = ort.get<&OrtApi::GetDimensionsCount>(info);
    if (found.rank > shape::MAX_RANK) throw failure(ORT_NOT_IMPLEMENTED, "more than 8 dimensions");
    ort.call<&OrtApi::GetDimensions>(info, found.sizes.data(), found.rank);
    return found;
}

// A size that the model leaves open is 1, or that of the scale. If the rank is open, there is one dimension of rows.
shape example_of(const tensor &one, const dims &normalized) {
    shape example(one.shape.empty() ? dims(normalized.size() + 1, 1) : one.shape);
    std::copy(normalized.begin(), normalized.end(), example.sizes.begin() + (example.rank - normalized.size()));
    return example;
}

} // namespace

std::unique_ptr<execution> make_example(const runtime &ort, const norm &of, int threads) {
    const shape x = example_of(of[X], of.normalized);
    const bool same = of.what->inputs[1] == SKIP; // the operator does not repeat X
    return std::make_unique<execution>(ort, of, x,
                                       !of[SKIP].exists() ? shape()
                                       : same             ? x
                                                          : example_of(of[SKIP], of.normalized),
                                       threads);
}

compiled_norm::compiled_norm(const runtime &ort, norm of, const OrtNode *fused, int threads)
    : OrtNodeComputeInfo{}, ort_(ort), norm_(std::move(of)), threads_(threads) {
    const auto inputs = input_names(ort, fused), outputs = output_names(ort, fused);
    for (int r = 0; r < ROLES; ++r) {
        tensor &one = norm_.tensors[size_t(r)];
        if (!one.exists()) continue;
        const auto &names = is_input(r) ? inputs : outputs;
        const auto found = std::find(names.begin(), names.end(), one.name);
        if (found != names.end())
            (is_input(r) ? inputs_ : outputs_).push_back({role(r), size_t(found - names.begin())});
        else if (is_input(r))
            throw failure(ORT_EP_FAIL, "the fused node lacks '" + one.name + "'");
        else
            one = {"", one.type, one.shape}; // nobody reads it
    }
    for (const role r : {SCALE, SHIFT, BIAS})
        if (norm_[r].exists()) bytes_[r] = bytes_of(norm_[r], norm_.normalized);
    idle_.push_back(make_example(ort, norm_, threads));

    ort_version_supported = INTERFACE;
    CreateState = [](OrtNodeComputeInfo *self, OrtNodeComputeContext *, void **state) noexcept -> OrtStatus * {
        *state = self;
        return nullptr;
    };
    Compute = [](OrtNodeComputeInfo *self, void *, OrtKernelContext *context) noexcept -> OrtStatus * {
        auto *const mine = static_cast<compiled_norm *>(self);
        return mine->ort_.guard([&] { mine->compute(context); });
    };
    ReleaseState = [](OrtNodeComputeInfo *, void *) noexcept {};
}

std::unique_ptr<execution> compiled_norm::take(const shape &x, const shape &skip) {
    const std::lock_guard guard(lock_);
    for (size_t i = idle_.size(); i-- > 0;) {
        if (!idle_[i]->is_for(x, skip)) continue;
        std::unique_ptr<execution> found = std::move(idle_[i]);
        idle_.erase(idle_.begin() + std::ptrdiff_t(i));
        return found;
    }
    return nullptr;
}

void compiled_norm::give_back(std::unique_ptr<execution> used) {
    const std::lock_guard guard(lock_);
    ++runs_;
    if (idle_.size() == MAX_IDLE) idle_.erase(idle_.begin());
    idle_.push_back(std::move(used));
}

void compiled_norm::compute(OrtKernelContext *context) {
    if (bytes_[SCALE] == 0) throw failure(ORT_INVALID_ARGUMENT, "what is normalized has no elements");
    pointers data = {};
    shape x, skip;
    for (const place &input : inputs_) {
        const OrtValue *value = ort_.get<&OrtApi::KernelContext_GetInput>(context, input.index);
        if (value == nullptr) throw failure(ORT_INVALID_ARGUMENT, "'" + norm_[input.tensor].name + "' is missing");
        data[input.tensor] = const_cast<void *>(ort_.get<&OrtApi::GetTensorData>(value));
        if (input.tensor == X)
            x = shape_of(ort_, value);
        else if (input.tensor == SKIP)
            skip = shape_of(ort_, value);
        else if (ort_.get<&OrtApi::GetTensorSizeInBytes>(value) != bytes_[input.tensor])
            throw failure(ORT_INVALID_ARGUMENT, "'" + norm_[input.tensor].name + "' is not as long as a row");
    }
    std::unique_ptr<execution> mine = take(x, skip);
    if (mine == nullptr) mine = std::make_unique<execution>(ort_, norm_, x, skip, threads_);
    for (const place &output : outputs_) {
        const bool statistics = output.tensor == MEAN || output.tensor == RSTD;
        const shape &its = statistics ? mine->statistics() : mine->output();
        OrtValue *value = ort_.get<&OrtApi::KernelContext_GetOutput>(context, output.index, its.sizes.data(), its.rank);
        data[output.tensor] = ort_.get<&OrtApi::GetTensorMutableData>(value);
    }
    mine->run(context, data);
    give_back(std::move(mine));
}

} // namespace jitnorm_onnxruntime
