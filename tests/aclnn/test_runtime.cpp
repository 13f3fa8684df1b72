// SPDX-License-Identifier: Apache-2.0
// The runtime over the host's memory, tensors and arrays, and each function's statuses for mistakes.
#include <gtest/gtest.h>

#include <thread>

#include "acl_tensor.hpp"
#include "aclnn/aclnn_base.h"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::tests {
namespace {

// The call fails with the status and says why.
void expect_failure(aclError expected, aclError got) {
    EXPECT_EQ(got, expected);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST(aclnn_runtime, initialization_is_counted) {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    expect_failure(ACL_ERROR_REPEAT_INITIALIZE, aclInit("acl.json"));
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    expect_failure(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
    EXPECT_EQ(aclnnInit(nullptr), ACLNN_SUCCESS);
    EXPECT_EQ(aclnnFinalize(), ACLNN_SUCCESS);
}

TEST(aclnn_runtime, there_is_one_device) {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    expect_failure(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1));
    expect_failure(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(-1));
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 0);
    uint32_t devices = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&devices), ACL_SUCCESS);
    EXPECT_EQ(devices, 1u);
    aclrtRunMode mode = ACL_DEVICE;
    EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
    EXPECT_EQ(mode, ACL_HOST);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(nullptr));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(nullptr));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(nullptr));
}

TEST(aclnn_runtime, contexts_are_each_threads_own) {
    aclrtContext context = nullptr, current = nullptr;
    expect_failure(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&current));
    expect_failure(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&context, 7));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtCreateContext(nullptr, 0));
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, context);
    std::thread([&] {
        aclrtContext none = nullptr;
        EXPECT_EQ(aclrtGetCurrentContext(&none), ACL_ERROR_RT_CONTEXT_NULL);
        EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
        EXPECT_EQ(aclrtGetCurrentContext(&none), ACL_SUCCESS);
        EXPECT_EQ(none, context);
    }).join();
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
    expect_failure(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&current));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext(nullptr));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext(nullptr));
}

TEST(aclnn_runtime, streams) {
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_NE(stream, nullptr);
    jitnorm_engine_t of_stream = nullptr, engine = nullptr;
    EXPECT_EQ(jitnorm_stream_get_engine(static_cast<jitnorm_stream_t>(stream), &of_stream), jitnorm_success);
    EXPECT_EQ(jitnorm_engine_create(&engine, jitnorm_cpu, 0), jitnorm_success);
    EXPECT_EQ(of_stream, engine);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(nullptr));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(nullptr));
}

TEST(aclnn_runtime, memory) {
    void *device = nullptr, *host = nullptr;
    ASSERT_EQ(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&host, 100), ACL_SUCCESS);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(device) % 64, 0u);
    ASSERT_EQ(aclrtMemset(host, 100, 7, 100), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemsetAsync(device, 100, 3, 100, nullptr), ACL_SUCCESS);
    ASSERT_EQ(aclrtMemcpy(device, 100, host, 60, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    EXPECT_EQ(static_cast<char *>(device)[59], 7);
    EXPECT_EQ(static_cast<char *>(device)[60], 3);
    ASSERT_EQ(aclrtMemcpyAsync(host, 100, device, 100, ACL_MEMCPY_DEVICE_TO_HOST, nullptr), ACL_SUCCESS);
    EXPECT_EQ(static_cast<char *>(host)[99], 3);

    expect_failure(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(device, 99, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(nullptr, 100, host, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(device, 100, nullptr, 100, ACL_MEMCPY_HOST_TO_DEVICE));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMemcpy(device, 100, host, 100, aclrtMemcpyKind(8)));
    expect_failure(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device, 99, 0, 100));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMemset(nullptr, 100, 0, 100));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 100, ACL_MEM_MALLOC_NORMAL_ONLY));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&device, 0, ACL_MEM_MALLOC_NORMAL_ONLY));
    expect_failure(ACL_ERROR_BAD_ALLOC, aclrtMalloc(&device, SIZE_MAX, ACL_MEM_MALLOC_NORMAL_ONLY));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr));
    expect_failure(ACL_ERROR_INVALID_PARAM, aclrtFreeHost(nullptr));
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
}

TEST(aclnn_runtime, types) {
    const std::pair<aclDataType, size_t> sizes[] = {
        {ACL_FLOAT, 4}, {ACL_FLOAT16, 2}, {ACL_BF16, 2},      {ACL_INT8, 1},        {ACL_INT64, 8},
        {ACL_BOOL, 1},  {ACL_DOUBLE, 8},  {ACL_COMPLEX64, 8}, {ACL_COMPLEX128, 16}, {ACL_DT_UNDEFINED, 0},
        {ACL_INT4, 0},  {ACL_STRING, 0},  {ACL_UINT16, 2},    {ACL_UINT32, 4},      {ACL_COMPLEX32, 4}};
    for (const auto &[type, size] : sizes) EXPECT_EQ(aclDataTypeSize(type), size) << type;
    EXPECT_EQ(aclFloatToFloat16(1.5f), 0x3e00);
    EXPECT_EQ(aclFloatToFloat16(1.0f + 0x1p-11f), 0x3c00) << "halves to even";
    EXPECT_EQ(aclFloat16ToFloat(0x3e00), 1.5f);
    EXPECT_EQ(aclFloat16ToFloat(0x0001), 0x1p-24f);
}

// The message is the thread's own, and is given once.
TEST(aclnn_runtime, recent_errors) {
    (void)aclGetRecentErrMsg();
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_NE(aclrtSetDevice(5), ACL_SUCCESS);
    std::thread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); }).join();
    const std::string text = aclGetRecentErrMsg();
    EXPECT_NE(text.find("107001"), std::string::npos) << text;
    EXPECT_NE(text.find("device"), std::string::npos) << text;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

// The array that `get` allocates.
template <typename Get>
dims_t array_of(const acl_owned<aclTensor> &tensor, Get get) {
    int64_t *values = nullptr;
    uint64_t count = 0;
    EXPECT_EQ(get(tensor.get(), &values, &count), ACLNN_SUCCESS);
    const std::unique_ptr<int64_t[]> owned(values);
    return {values, values + count};
}

TEST(aclnn_objects, a_tensor_tells_what_it_is) {
    const int64_t dims[] = {2, 4}, strides[] = {1, 2}, storage[] = {9};
    float data[9];
    const acl_owned<aclTensor> tensor(
        aclCreateTensor(dims, 2, ACL_FLOAT, strides, 1, ACL_FORMAT_NCL, storage, 1, data));
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(array_of(tensor, aclGetViewShape), dims_t({2, 4}));
    EXPECT_EQ(array_of(tensor, aclGetViewStrides), dims_t({1, 2}));
    EXPECT_EQ(array_of(tensor, aclGetStorageShape), dims_t({9}));
    EXPECT_EQ(queried(aclGetViewOffset, tensor.get()), 1);
    EXPECT_EQ(queried(aclGetFormat, tensor.get()), ACL_FORMAT_NCL);
    EXPECT_EQ(queried(aclGetDataType, tensor.get()), ACL_FLOAT);
    EXPECT_EQ(array_of(tensor_at(nullptr, {2, 3, 4}), aclGetViewStrides), dims_t({12, 4, 1})) << "without strides";

    int64_t *values = nullptr;
    uint64_t count = 0;
    aclFormat format = ACL_FORMAT_ND;
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetViewShape(nullptr, &values, &count));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetViewShape(tensor.get(), nullptr, &count));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetViewStrides(tensor.get(), &values, nullptr));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetStorageShape(tensor.get(), nullptr, nullptr));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetViewOffset(tensor.get(), nullptr));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetFormat(nullptr, &format));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetDataType(tensor.get(), nullptr));
}

TEST(aclnn_objects, what_is_null) {
    const int64_t dims[] = {2};
    EXPECT_EQ(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr), nullptr);
    EXPECT_EQ(aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr), nullptr);
    EXPECT_EQ(aclCreateIntArray(nullptr, 1), nullptr);
    EXPECT_EQ(aclCreateBoolArray(nullptr, 1), nullptr);
    const bool values[] = {true};
    for (const uint64_t count : {uint64_t(1) << 60, uint64_t(1) << 63, ~uint64_t(0)}) {
        EXPECT_EQ(aclCreateTensor(dims, count, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr), nullptr);
        EXPECT_EQ(aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, count, nullptr), nullptr);
        EXPECT_EQ(aclCreateIntArray(dims, count), nullptr);
        EXPECT_EQ(aclCreateBoolArray(values, count), nullptr);
    }
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclDestroyTensor(nullptr), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyIntArray(nullptr), ACLNN_SUCCESS);
    EXPECT_EQ(aclDestroyBoolArray(nullptr), ACLNN_SUCCESS);
}

TEST(aclnn_objects, arrays_know_their_size) {
    const auto ints = int_array({5, 6}), none = int_array({});
    const auto bools = mask_of(true, false, true);
    EXPECT_EQ(queried(aclGetIntArraySize, ints.get()), 2u);
    EXPECT_EQ(queried(aclGetIntArraySize, none.get()), 0u);
    EXPECT_EQ(queried(aclGetBoolArraySize, bools.get()), 3u);
    uint64_t size = 7;
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetIntArraySize(nullptr, &size));
    expect_failure(ACLNN_ERR_PARAM_NULLPTR, aclGetBoolArraySize(bools.get(), nullptr));
}

} // namespace
} // namespace jitnorm::tests
