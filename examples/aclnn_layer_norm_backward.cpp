// SPDX-License-Identifier: Apache-2.0
// A training step of one layer normalization in a program for Ascend: aclnnLayerNorm, whose statistics go into
// aclnnLayerNormBackward. It compiles against CANN on a machine with an NPU, and against jitnorm on one without:
//
//     c++ aclnn_layer_norm_backward.cpp -I PREFIX/include/jitnorm/ascend -L PREFIX/lib -ljitnorm
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

static void check(int status, const char *what) {
    if (status == ACL_SUCCESS) return;
    const char *reason = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d, %s\n", what, status, reason ? reason : "no reason given");
    std::exit(1);
}

// A row-major tensor of floats in device memory.
struct tensor {
    std::vector<int64_t> dims;
    size_t bytes = sizeof(float);
    void *memory = nullptr;
    aclTensor *handle = nullptr;

    explicit tensor(std::vector<int64_t> sizes, const std::vector<float> &values = {}) : dims(std::move(sizes)) {
        std::vector<int64_t> strides(dims.size(), 1);
        for (size_t d = dims.size(); d-- > 0;) {
            strides[d] = static_cast<int64_t>(bytes / sizeof(float));
            bytes *= static_cast<size_t>(dims[d]);
        }
        check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        if (!values.empty())
            check(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        handle = aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND, dims.data(),
                                 dims.size(), memory);
        check(handle == nullptr, "aclCreateTensor");
    }
    tensor(const tensor &) = delete;
    tensor &operator=(const tensor &) = delete;
    ~tensor() {
        aclDestroyTensor(handle);
        aclrtFree(memory);
    }

    void print(const char *name) const {
        std::vector<float> values(bytes / sizeof(float));
        check(aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        std::printf("%-11s", name);
        for (const float value : values) std::printf(" %7.3f", static_cast<double>(value));
        std::printf("\n");
    }
};

// Makes the second call of an operation, with a workspace of the size that the first call asked for.
template <typename Operation>
static void run(Operation operation, const char *name, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream) {
    void *workspace = nullptr;
    if (bytes > 0) check(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(operation(workspace, bytes, executor, stream), name);
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (workspace != nullptr) check(aclrtFree(workspace), "aclrtFree");
}

int main() {
    aclrtStream stream = nullptr;
    check(aclInit(nullptr), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        const tensor x({2, 4}, {1, 2, 3, 4, 10, 20, 30, 40}), weight({4}, {1, 1, 1, 1}), bias({4}, {0, 0, 0, 0});
        const tensor out({2, 4}), mean({2, 1}), rstd({2, 1});
        const tensor grad_out({2, 4}, {1, 0, 0, 0, 0, 0, 0, 1}), grad_input({2, 4}), grad_weight({4}), grad_bias({4});
        const bool wanted[3] = {true, true, true};
        aclBoolArray *mask = aclCreateBoolArray(wanted, 3);
        aclIntArray *normalized_shape = aclCreateIntArray(weight.dims.data(), weight.dims.size());
        check(mask == nullptr, "aclCreateBoolArray");
        check(normalized_shape == nullptr, "aclCreateIntArray");

        uint64_t bytes = 0;
        aclOpExecutor *executor = nullptr;
        check(aclnnLayerNormGetWorkspaceSize(x.handle, normalized_shape, weight.handle, bias.handle, 1e-5, out.handle,
                                             mean.handle, rstd.handle, &bytes, &executor),
              "aclnnLayerNormGetWorkspaceSize");
        run(aclnnLayerNorm, "aclnnLayerNorm", bytes, executor, stream);
        check(aclnnLayerNormBackwardGetWorkspaceSize(grad_out.handle, x.handle, normalized_shape, mean.handle,
                                                     rstd.handle, weight.handle, bias.handle, mask, grad_input.handle,
                                                     grad_weight.handle, grad_bias.handle, &bytes, &executor),
              "aclnnLayerNormBackwardGetWorkspaceSize");
        run(aclnnLayerNormBackward, "aclnnLayerNormBackward", bytes, executor, stream);

        out.print("out");
        rstd.print("rstd");
        grad_input.print("grad_input");
        grad_weight.print("grad_weight");
        grad_bias.print("grad_bias");
        check(aclDestroyIntArray(normalized_shape), "aclDestroyIntArray");
        check(aclDestroyBoolArray(mask), "aclDestroyBoolArray");
    }
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
