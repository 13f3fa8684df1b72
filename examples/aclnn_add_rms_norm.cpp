// SPDX-License-Identifier: Apache-2.0
// Normalizations of sums, and normalizations to 8 bits, in a program for Ascend: aclnnAddRmsNorm, aclnnAddLayerNorm,
// aclnnGemmaRmsNorm, aclnnRmsNormDynamicQuant and aclnnAddRmsNormDynamicQuant, on numbers that FLOAT16 has exactly. It
// compiles against CANN on a machine with an NPU, and against jitnorm on one without:
//
//     c++ aclnn_add_rms_norm.cpp -I PREFIX/include/jitnorm/ascend -L PREFIX/lib -ljitnorm
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_dynamic_quant.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_dynamic_quant.h"

static void check(int status, const char *what) {
    if (status == ACL_SUCCESS) return;
    const char *reason = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d, %s\n", what, status, reason ? reason : "no reason given");
    std::exit(1);
}

// A row-major tensor in device memory, of FLOAT16 unless another type is given.
struct tensor {
    size_t count = 1;
    aclDataType type;
    void *memory = nullptr;
    aclTensor *handle = nullptr;

    explicit tensor(const std::vector<int64_t> &dims, const std::vector<float> &values = {},
                    aclDataType of = ACL_FLOAT16)
        : type(of) {
        std::vector<int64_t> strides(dims.size(), 1);
        for (size_t d = dims.size(); d-- > 0;) {
            strides[d] = static_cast<int64_t>(count);
            count *= static_cast<size_t>(dims[d]);
        }
        check(aclrtMalloc(&memory, count * aclDataTypeSize(type), ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        std::vector<aclFloat16> narrow;
        for (const float value : values) narrow.push_back(aclFloatToFloat16(value));
        const size_t bytes = narrow.size() * sizeof(aclFloat16);
        if (bytes > 0)
            check(aclrtMemcpy(memory, bytes, narrow.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        handle = aclCreateTensor(dims.data(), dims.size(), type, strides.data(), 0, ACL_FORMAT_ND, dims.data(),
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
        std::vector<char> copy(count * aclDataTypeSize(type)); // the host may be unable to read the device's memory
        check(aclrtMemcpy(copy.data(), copy.size(), memory, copy.size(), ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        std::printf("%-6s", name);
        for (size_t i = 0; i < count; ++i) print_element(&copy[i * aclDataTypeSize(type)]);
        std::printf("\n");
    }

private:
    template <typename T>
    static T read(const char *element) {
        T value;
        std::memcpy(&value, element, sizeof value);
        return value;
    }

    void print_element(const char *element) const {
        if (type == ACL_INT8)
            std::printf(" %d", read<int8_t>(element));
        else if (type == ACL_FLOAT)
            std::printf(" %7.3f", static_cast<double>(read<float>(element)));
        else
            std::printf(" %7.3f", static_cast<double>(aclFloat16ToFloat(read<aclFloat16>(element))));
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
        const tensor x1({2, 4}, {1, 2, 3, 4, 0, 3, 0, 4}), x2({2, 4}, {1, 0, -1, -2, 0, 0, 0, 0});
        const tensor gamma({4}, {1, 1, 4, 0.5F}), ones({4}, {1, 1, 1, 1}), zeros({4}, {0, 0, 0, 0});
        const tensor x({2, 4}), y({2, 4}), mean({2, 1}, {}, ACL_FLOAT), rstd({2, 1}, {}, ACL_FLOAT);
        const tensor q({2, 4}, {}, ACL_INT8), unused_q({1}, {}, ACL_INT8);
        const tensor scale({2}, {}, ACL_FLOAT), unused_scale({1}, {}, ACL_FLOAT);

        uint64_t bytes = 0;
        aclOpExecutor *executor = nullptr;
        check(aclnnAddRmsNormGetWorkspaceSize(x1.handle, x2.handle, gamma.handle, 1e-6, y.handle, rstd.handle, x.handle,
                                              &bytes, &executor),
              "aclnnAddRmsNormGetWorkspaceSize");
        run(aclnnAddRmsNorm, "aclnnAddRmsNorm", bytes, executor, stream);
        x.print("x");
        y.print("y");

        check(aclnnAddLayerNormGetWorkspaceSize(x1.handle, x2.handle, ones.handle, zeros.handle, nullptr, 1e-6, false,
                                                y.handle, mean.handle, rstd.handle, x.handle, &bytes, &executor),
              "aclnnAddLayerNormGetWorkspaceSize");
        run(aclnnAddLayerNorm, "aclnnAddLayerNorm", bytes, executor, stream);
        y.print("layer");

        check(aclnnGemmaRmsNormGetWorkspaceSize(x.handle, gamma.handle, 1e-6, y.handle, rstd.handle, &bytes, &executor),
              "aclnnGemmaRmsNormGetWorkspaceSize");
        run(aclnnGemmaRmsNorm, "aclnnGemmaRmsNorm", bytes, executor, stream);
        y.print("gemma");

        check(aclnnAddRmsNormDynamicQuantGetWorkspaceSize(x1.handle, x2.handle, gamma.handle, nullptr, nullptr, 1e-6,
                                                          q.handle, unused_q.handle, x.handle, scale.handle,
                                                          unused_scale.handle, &bytes, &executor),
              "aclnnAddRmsNormDynamicQuantGetWorkspaceSize");
        run(aclnnAddRmsNormDynamicQuant, "aclnnAddRmsNormDynamicQuant", bytes, executor, stream);
        scale.print("scale");
        q.print("q");

        check(aclnnRmsNormDynamicQuantGetWorkspaceSize(x.handle, gamma.handle, nullptr, nullptr, 1e-6, ACL_INT8,
                                                       q.handle, scale.handle, &bytes, &executor),
              "aclnnRmsNormDynamicQuantGetWorkspaceSize");
        run(aclnnRmsNormDynamicQuant, "aclnnRmsNormDynamicQuant", bytes, executor, stream);
        q.print("q");
    }
    check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
