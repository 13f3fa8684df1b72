// SPDX-License-Identifier: Apache-2.0
// objects: what Ascend's interface has, as this front end sees it: status numbers, numbers of data types and formats,
// and the objects behind the handles of tensors and arrays.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "../../base/status.hpp"
#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

// ---- Failures. Inside the front end functions return a status or throw. The C interface turns this into one of
// Ascend's status numbers, the thread's recent error and a line in the verbose log.

using acl_status = basic_status<jitnorm_acl_status_t>;
static_assert(JITNORM_ACLNN_SUCCESS == 0);

constexpr acl_status null_pointer(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_NULLPTR, reason}; }
constexpr acl_status invalid(const char *reason) { return {JITNORM_ACLNN_ERR_PARAM_INVALID, reason}; }

// The core's status with Ascend's number.
acl_status translate(status s);

// Returns the status's number. Keeps the reason of a failure for the thread (status.hpp) and logs it under the
// function's name.
jitnorm_acl_status_t answer(const char *function, acl_status result) noexcept;

// The status for the exception that is being handled, whose text the reason may be.
[[gnu::cold]] acl_status status_of_exception() noexcept;

// Answers with the status that `body` returns or the exception that it throws.
template <typename Body>
jitnorm_acl_status_t answer_from(const char *function, Body &&body) noexcept {
    try {
        return answer(function, body());
    } catch (...) {
        return answer(function, status_of_exception());
    }
}

// ---- Data types and formats

constexpr int ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_BF16 = 27, ACL_FLOAT8_E5M2 = 35, ACL_FLOAT8_E4M3FN = 36;

struct acl_type {
    int number;
    const char *name;                                   // Ascend's, without "ACL_"
    unsigned size;                                      // bytes of an element; 0 if it has less than one
    jitnorm_data_type_t core = jitnorm_data_type_undef; // the core's type; undef: no normalization takes it
};

// The 8-bit types that the core has are for quantized outputs only.
inline constexpr acl_type ACL_TYPES[] = {
    {ACL_FLOAT, "FLOAT", 4, jitnorm_f32},
    {ACL_FLOAT16, "FLOAT16", 2, jitnorm_f16},
    {ACL_INT8, "INT8", 1, jitnorm_s8},
    {3, "INT32", 4},
    {4, "UINT8", 1},
    {6, "INT16", 2},
    {7, "UINT16", 2},
    {8, "UINT32", 4},
    {9, "INT64", 8},
    {10, "UINT64", 8},
    {11, "DOUBLE", 8},
    {12, "BOOL", 1},
    {13, "STRING", 0},
    {16, "COMPLEX64", 8},
    {17, "COMPLEX128", 16},
    {ACL_BF16, "BF16", 2, jitnorm_bf16},
    {29, "INT4", 0},
    {30, "UINT1", 0},
    {33, "COMPLEX32", 4},
    {34, "HIFLOAT8", 1},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2", 1, jitnorm_f8_e5m2},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN", 1, jitnorm_f8_e4m3},
    {37, "FLOAT8_E8M0", 1},
};

constexpr acl_type find_acl_type(int number) {
    for (const acl_type &known : ACL_TYPES)
        if (known.number == number) return known;
    return {number, "of an unknown type", 0};
}

constexpr jitnorm_data_type_t core_type(int acl_number) { return find_acl_type(acl_number).core; }
constexpr const char *type_name(int acl_number) { return find_acl_type(acl_number).name; }

constexpr bool is_narrow(int acl_type) { return acl_type == ACL_FLOAT16 || acl_type == ACL_BF16; }
constexpr bool is_float(int acl_type) { return acl_type == ACL_FLOAT || is_narrow(acl_type); }

// The formats in which a tensor's dimensions, strides and offset say where its elements are, without inner blocks:
// NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC and NCL.
constexpr int PLAIN_FORMATS[] = {0, 1, 2, 16, 27, 30, 35, 47};

// ---- Objects. A handle points to a type with Ascend's name, such as aclTensor, which stays incomplete. The objects
// have types of their own, so that no symbol of this library has a name that Ascend's libraries may have, too.

struct tensor {
    using numbers = std::span<const int64_t>;

    // Copies the numbers. If `strides` is null, the tensor is row-major.
    tensor(numbers dims, const int64_t *strides, numbers storage_dims, int64_t offset, int data_type, int format,
           void *data);

private:
    std::unique_ptr<int64_t[]> numbers_; // dims, strides and storage_dims, one after the other

public:
    const numbers dims, strides; // of equal length
    const numbers storage_dims;
    const int64_t offset; // elements from `data` to the first element
    const int data_type;  // aclDataType
    const int format;     // aclFormat
    void *data;           // the caller's
};

using int_array = std::vector<int64_t>;
using bool_array = std::vector<bool>;

inline const tensor *object_of(const_jitnorm_acl_tensor_t handle) { return reinterpret_cast<const tensor *>(handle); }
inline tensor *object_of(jitnorm_acl_tensor_t handle) { return reinterpret_cast<tensor *>(handle); }
inline const int_array *object_of(const_jitnorm_acl_int_array_t handle) {
    return reinterpret_cast<const int_array *>(handle);
}
inline const bool_array *object_of(const_jitnorm_acl_bool_array_t handle) {
    return reinterpret_cast<const bool_array *>(handle);
}

} // namespace jitnorm::impl::aclnn
