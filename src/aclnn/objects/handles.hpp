// SPDX-License-Identifier: Apache-2.0
// handles: what is behind Ascend's handles of tensors and arrays. Ascend's tags stay incomplete types, so that nothing
// of ours has a name that a library of theirs may have too.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "jitnorm/jitnorm_aclnn.h"

namespace jitnorm::impl::aclnn {

struct tensor {
    using numbers = std::span<const int64_t>;

    // No strides: row major.
    tensor(numbers dims, const int64_t *strides, numbers storage_dims, int64_t offset, int data_type, int format,
           void *data);
    tensor(const tensor &) = delete;
    tensor &operator=(const tensor &) = delete;

private:
    std::unique_ptr<int64_t[]> numbers_; // all of them

public:
    const numbers dims, strides; // as many of these as of those
    const numbers storage_dims;
    const int64_t offset;
    const int data_type; // aclDataType
    const int format;    // aclFormat
    void *data;
};

using int_array = std::vector<int64_t>;

struct bool_array {
    std::vector<unsigned char> values;

    size_t size() const { return values.size(); }
    bool operator[](size_t i) const { return values[i] != 0; }
};

inline const tensor *behind(const_jitnorm_acl_tensor_t handle) { return reinterpret_cast<const tensor *>(handle); }
inline tensor *behind(jitnorm_acl_tensor_t handle) { return reinterpret_cast<tensor *>(handle); }
inline const int_array *behind(const_jitnorm_acl_int_array_t handle) {
    return reinterpret_cast<const int_array *>(handle);
}
inline const bool_array *behind(const_jitnorm_acl_bool_array_t handle) {
    return reinterpret_cast<const bool_array *>(handle);
}

} // namespace jitnorm::impl::aclnn
