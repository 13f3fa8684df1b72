// SPDX-License-Identifier: Apache-2.0
// C interface: tensors and arrays.
#include <algorithm>

#include "failure.hpp"
#include "handles.hpp"

using namespace jitnorm::impl::aclnn;

namespace {

// Row major. Where the product does not fit, operations refuse the tensor; what it wraps to does not matter.
std::vector<int64_t> dense_strides(const std::vector<int64_t> &dims) {
    std::vector<int64_t> strides(dims.size());
    uint64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = int64_t(stride);
        stride *= uint64_t(std::max<int64_t>(dims[d], 1));
    }
    return strides;
}

// A handle to a new object of what body answers; null where there is no memory or an array is missing.
template <typename Handle, typename Body>
Handle made(const char *function, bool arrays_are_there, Body &&body) noexcept {
    Handle handle = nullptr;
    guarded(function, [&]() -> outcome {
        if (!arrays_are_there) return null_pointer("a null array that should have elements");
        handle = reinterpret_cast<Handle>(body());
        return {};
    });
    return handle;
}

template <typename Handle>
jitnorm_acl_status_t destroyed(Handle handle) {
    delete behind(handle);
    return JITNORM_ACLNN_SUCCESS;
}

template <typename Handle>
jitnorm_acl_status_t tell_size(const char *function, Handle array, uint64_t *count) {
    if (array == nullptr || count == nullptr) return answer(function, null_pointer("a null pointer"));
    *count = behind(array)->size();
    return JITNORM_ACLNN_SUCCESS;
}

} // namespace

jitnorm_acl_tensor_t jitnorm_acl_tensor_create(const int64_t *dims, uint64_t ndims, int data_type,
                                               const int64_t *strides, int64_t offset, int format,
                                               const int64_t *storage_dims, uint64_t storage_ndims, void *data) {
    const bool there = (dims != nullptr || ndims == 0) && (storage_dims != nullptr || storage_ndims == 0);
    return made<jitnorm_acl_tensor_t>(__func__, there, [&] {
        const std::vector<int64_t> view(dims, dims + ndims);
        return new tensor{
            view,   strides == nullptr ? dense_strides(view) : std::vector<int64_t>(strides, strides + ndims),
            offset, data_type,
            format, {storage_dims, storage_dims + storage_ndims},
            data};
    });
}

jitnorm_acl_status_t jitnorm_acl_tensor_destroy(const_jitnorm_acl_tensor_t tensor) { return destroyed(tensor); }

jitnorm_acl_status_t jitnorm_acl_tensor_get_view(const_jitnorm_acl_tensor_t tensor, jitnorm_acl_tensor_view_t *view) {
    if (tensor == nullptr || view == nullptr) return answer(__func__, null_pointer("a null pointer"));
    const auto &of = *behind(tensor);
    *view = {of.dims.data(), of.strides.data(),      of.dims.size(),         of.offset, of.data_type,
             of.format,      of.storage_dims.data(), of.storage_dims.size(), of.data};
    return JITNORM_ACLNN_SUCCESS;
}

jitnorm_acl_int_array_t jitnorm_acl_int_array_create(const int64_t *values, uint64_t count) {
    return made<jitnorm_acl_int_array_t>(__func__, values != nullptr || count == 0,
                                         [&] { return new int_array(values, values + count); });
}

jitnorm_acl_status_t jitnorm_acl_int_array_destroy(const_jitnorm_acl_int_array_t array) { return destroyed(array); }

jitnorm_acl_status_t jitnorm_acl_int_array_get_size(const_jitnorm_acl_int_array_t array, uint64_t *count) {
    return tell_size(__func__, array, count);
}

jitnorm_acl_bool_array_t jitnorm_acl_bool_array_create(const bool *values, uint64_t count) {
    return made<jitnorm_acl_bool_array_t>(__func__, values != nullptr || count == 0, [&] {
        return new bool_array{{values, values + count}};
    });
}

jitnorm_acl_status_t jitnorm_acl_bool_array_destroy(const_jitnorm_acl_bool_array_t array) { return destroyed(array); }

jitnorm_acl_status_t jitnorm_acl_bool_array_get_size(const_jitnorm_acl_bool_array_t array, uint64_t *count) {
    return tell_size(__func__, array, count);
}
