// SPDX-License-Identifier: Apache-2.0
// compiled_norm: the node that ONNX Runtime calls in place of the claimed nodes.
#pragma once

#include <memory>
#include <mutex>

#include "execution.hpp"

namespace jitnorm_onnxruntime {

class compiled_norm : public OrtNodeComputeInfo {
public:
    // `fused` is the node that takes the place of the norm's nodes.
    compiled_norm(const runtime &ort, norm of, const OrtNode *fused, int threads);

    std::string label() const { return norm_.label(); }
    uint64_t runs() const { return runs_; } // that have succeeded

private:
    struct place {
        role tensor;
        size_t index; // among the inputs or the outputs
    };

    void compute(OrtKernelContext *context);
    std::unique_ptr<execution> take(const shape &x, const shape &skip);
    void give_back(std::unique_ptr<execution> used);

    const runtime ort_;
    norm norm_;
    const int threads_;
    std::vector<place> inputs_, outputs_;
    std::array<size_t, ROLES> bytes_ = {}; // of scale, shift and bias
    std::mutex lock_;
    std::vector<std::unique_ptr<execution>> idle_; // those that were used last are at the end
    uint64_t runs_ = 0;
};

// An execution for sizes that the model allows. Throws as execution's constructor does.
std::unique_ptr<execution> make_example(const runtime &ort, const norm &of, int threads);

} // namespace jitnorm_onnxruntime
