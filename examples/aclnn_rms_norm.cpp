// SPDX-License-Identifier: Apache-2.0
// RMS normalization in a program for Ascend: aclnnRmsNorm, whose rstd goes into aclnnRmsNormGrad. It compiles
// against CANN on a machine with an NPU, and against jitnorm on one without:
//
//     c++ aclnn_rms_norm.cpp -I PREFIX/include/jitnorm/ascend -L PREFIX/lib -ljitnorm
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"

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
        const tensor x({2, 4}, {1, 1, 5, 3, 10, -30, 50, 10}), gamma({4}, {1, 1, 1, 2}), y({2, 4}), rstd({2, 1});
        const tensor dy({2, 4}, {1, 0, 0, 0, 0, 0, 0, 1}), dx({2, 4}), dgamma({4});

        uint64_t bytes = 0;
        aclOpExecutor *executor = nullptr;
        check(aclnnRmsNormGetWorkspaceSize(x.handle, gamma.handle, 1e-6, y.handle, rstd.handle, &bytes, &executor),
              "aclnnRmsNormGetWorkspaceSize");
        run(aclnnRmsNorm, "aclnnRmsNorm", bytes, executor, stream);

        // Backward takes rstd without dimensions of size 1 after the rows: another tensor describes the same memory so.
        const int64_t rows = 2, step = 1;
        aclTensor *rstd_of_rows = aclCreateTensor(&rows, 1, ACL_FLOAT, &step, 0, ACL_FORMAT_ND, &rows, 1, rstd.memory);
        check(rstd_of_rows == nullptr, "aclCreateTensor");
        check(aclnnRmsNormGradGetWorkspaceSize(dy.handle, x.handle, rstd_of_rows, gamma.handle, dx.handle,
                                               dgamma.handle, &bytes, &executor),
              "aclnnRmsNormGradGetWorkspaceSize");
        run(aclnnRmsNormGrad, "aclnnRmsNormGrad", bytes, executor, stream);

        y.print("y");
        rstd.print("rstd");
        dx.print("dx");
        dgamma.print("dgamma");
        check(aclDestroyTensor(rstd_of_rows), "aclDestroyTensor");
    }
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
