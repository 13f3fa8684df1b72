// SPDX-License-Identifier: Apache-2.0
// handles: the objects behind Ascend's handles of tensors and arrays. A handle points to a type with Ascend's name,
// such as aclTensor, which stays incomplete. The objects have types of their own, so that no symbol of this library has
// a name that Ascend's libraries may have, too.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

struct tensor {
    using numbers = std::span<const int64_t>;

    // Copies the numbers. If `strides` is null, the tensor is row-major.
    tensor(numbers dims, const int64_t *strides, numbers storage_dims, int64_t offset, int data_type, int format,
           void *data);
    tensor(const tensor &) = delete;
    tensor &operator=(const tensor &) = delete;

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

struct bool_array {
    std::vector<unsigned char> values;

    size_t size() const { return values.size(); }
    bool operator[](size_t i) const { return values[i] != 0; }
};

inline const tensor *object_of(const_jitnorm_acl_tensor_t handle) { return reinterpret_cast<const tensor *>(handle); }
inline tensor *object_of(jitnorm_acl_tensor_t handle) { return reinterpret_cast<tensor *>(handle); }
inline const int_array *object_of(const_jitnorm_acl_int_array_t handle) {
    return reinterpret_cast<const int_array *>(handle);
}
inline const bool_array *object_of(const_jitnorm_acl_bool_array_t handle) {
    return reinterpret_cast<const bool_array *>(handle);
}

} // namespace jitnorm::impl::aclnn
