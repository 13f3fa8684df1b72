// SPDX-License-Identifier: Apache-2.0
// The calls of a program for Ascend, in the order of CANN's manual, on its numbers: x = dy = 2 3 4 5 as two rows of
// two, with statistics that are not x's. Built as a user builds one: a C++ program, the headers' folder, the shared
// library.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_layer_norm_backward.h"

namespace {

void check(const char *what, int status) {
    if (status == ACL_SUCCESS) return;
    const char *reason = aclGetRecentErrMsg();
    std::printf("%s failed: %d %s\n", what, status, reason == nullptr ? "" : reason);
    std::exit(1);
}

struct device_tensor {
    void *address = nullptr;
    aclTensor *handle = nullptr;
    size_t count;

    device_tensor(const std::vector<float> &values, const std::vector<int64_t> &shape) : count(values.size()) {
        const size_t bytes = count * sizeof(float);
        check("aclrtMalloc", aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        check("aclrtMemcpy", aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
        std::vector<int64_t> strides(shape.size(), 1);
        for (size_t d = shape.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * shape[d];
        handle = aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0,
                                 aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), address);
    }
    void print(const char *name) const {
        std::vector<float> values(count, 0);
        const size_t bytes = count * sizeof(float);
        check("aclrtMemcpy", aclrtMemcpy(values.data(), bytes, address, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
        std::printf("%s", name);
        for (const float value : values) std::printf(" %f", double(value));
        std::printf("\n");
    }
};

} // namespace

int main() {
    aclrtStream stream;
    check("aclInit", aclInit(nullptr));
    check("aclrtSetDevice", aclrtSetDevice(0));
    check("aclrtCreateStream", aclrtCreateStream(&stream));

    const std::vector<int64_t> shape = {2, 2}, rows = {2, 1}, columns = {2};
    const device_tensor dy({2, 3, 4, 5}, shape), x({2, 3, 4, 5}, shape);
    aclIntArray *normalized = aclCreateIntArray(columns.data(), 1);
    const device_tensor mean({2, 3}, rows), rstd({4, 5}, rows), weight({1, 1}, columns), bias({0, 0}, columns);
    const bool wanted[3] = {true, true, true};
    aclBoolArray *mask = aclCreateBoolArray(wanted, 3);
    const device_tensor dx({0, 0, 0, 0}, shape), dw({0, 0}, columns), db({0, 0}, columns);

    uint64_t workspace_size = 0;
    aclOpExecutor *executor;
    check("aclnnLayerNormBackwardGetWorkspaceSize",
          aclnnLayerNormBackwardGetWorkspaceSize(dy.handle, x.handle, normalized, mean.handle, rstd.handle,
                                                 weight.handle, bias.handle, mask, dx.handle, dw.handle, db.handle,
                                                 &workspace_size, &executor));
    void *workspace = nullptr;
    if (workspace_size > 0) check("aclrtMalloc", aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));
    check("aclnnLayerNormBackward", aclnnLayerNormBackward(workspace, workspace_size, executor, stream));
    check("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));
    dx.print("out");
    dw.print("dw");
    db.print("db");

    const device_tensor *all[] = {&dy, &x, &mean, &rstd, &weight, &bias, &dx, &dw, &db};
    for (const device_tensor *tensor : all) aclDestroyTensor(tensor->handle);
    aclDestroyIntArray(normalized);
    aclDestroyBoolArray(mask);
    for (const device_tensor *tensor : all) aclrtFree(tensor->address);
    if (workspace_size > 0) aclrtFree(workspace);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return 0;
}
