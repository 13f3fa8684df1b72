// SPDX-License-Identifier: Apache-2.0
// C interface: tensors and arrays.
#include <algorithm>

#include "objects.hpp"

using namespace jitnorm::impl::aclnn;

namespace {

// Sets row-major strides. An overflowing stride may have any value, because operations refuse such a tensor.
void set_dense_strides(tensor::numbers dims, int64_t *strides) {
    uint64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
        strides[d] = int64_t(stride);
        stride *= uint64_t(std::max<int64_t>(dims[d], 1));
    }
}

// Whether the caller may have an array of so many elements. No address space has room for 2^60 numbers, and sizes that
// are computed from smaller counts do not overflow.
bool is_there(const void *array, uint64_t count) { return count == 0 || (array != nullptr && count >> 60 == 0); }

// The handle of the new object that `body` returns. If memory is out or an array is missing, answers with a failure and
// returns null.
template <typename Handle, typename Body>
Handle made(const char *function, bool arrays_are_there, Body &&body) noexcept {
    Handle handle = nullptr;
    answer_from(function, [&]() -> acl_status {
        if (!arrays_are_there) return null_pointer("an array that has elements is null, or has 2^60 of them or more");
        handle = reinterpret_cast<Handle>(body());
        return {};
    });
    return handle;
}

template <typename Handle>
jitnorm_acl_status_t destroyed(Handle handle) {
    delete object_of(handle);
    return JITNORM_ACLNN_SUCCESS;
}

template <typename Handle>
jitnorm_acl_status_t tell_size(const char *function, Handle array, uint64_t *count) {
    if (array == nullptr || count == nullptr) return answer(function, null_pointer("a pointer is null"));
    *count = object_of(array)->size();
    return JITNORM_ACLNN_SUCCESS;
}

} // namespace

tensor::tensor(numbers dims_given, const int64_t *strides_given, numbers storage_given, int64_t offset_given,
               int type_given, int format_given, void *data_given)
    : numbers_(new int64_t[2 * dims_given.size() + storage_given.size()]), dims(numbers_.get(), dims_given.size()),
      strides(dims.data() + dims.size(), dims.size()), storage_dims(strides.data() + dims.size(), storage_given.size()),
      offset(offset_given), data_type(type_given), format(format_given), data(data_given) {
    int64_t *next = std::copy(dims_given.begin(), dims_given.end(), numbers_.get());
    if (strides_given == nullptr)
        set_dense_strides(dims_given, next);
    else
        std::copy_n(strides_given, dims.size(), next);
    std::copy(storage_given.begin(), storage_given.end(), next + dims.size());
}

jitnorm_acl_tensor_t jitnorm_acl_tensor_create(const int64_t *dims, uint64_t ndims, int data_type,
                                               const int64_t *strides, int64_t offset, int format,
                                               const int64_t *storage_dims, uint64_t storage_ndims, void *data) {
    return made<jitnorm_acl_tensor_t>(__func__, is_there(dims, ndims) && is_there(storage_dims, storage_ndims), [&] {
        return new tensor({dims, ndims}, strides, {storage_dims, storage_ndims}, offset, data_type, format, data);
    });
}

jitnorm_acl_status_t jitnorm_acl_tensor_destroy(const_jitnorm_acl_tensor_t tensor) { return destroyed(tensor); }

jitnorm_acl_status_t jitnorm_acl_tensor_get_view(const_jitnorm_acl_tensor_t tensor, jitnorm_acl_tensor_view_t *view) {
    if (tensor == nullptr || view == nullptr) return answer(__func__, null_pointer("a pointer is null"));
    const auto &of = *object_of(tensor);
    *view = {of.dims.data(), of.strides.data(),      of.dims.size(),         of.offset, of.data_type,
             of.format,      of.storage_dims.data(), of.storage_dims.size(), of.data};
    return JITNORM_ACLNN_SUCCESS;
}

jitnorm_acl_int_array_t jitnorm_acl_int_array_create(const int64_t *values, uint64_t count) {
    return made<jitnorm_acl_int_array_t>(__func__, is_there(values, count),
                                         [&] { return new int_array(values, values + count); });
}

jitnorm_acl_status_t jitnorm_acl_int_array_destroy(const_jitnorm_acl_int_array_t array) { return destroyed(array); }

jitnorm_acl_status_t jitnorm_acl_int_array_get_size(const_jitnorm_acl_int_array_t array, uint64_t *count) {
    return tell_size(__func__, array, count);
}

jitnorm_acl_bool_array_t jitnorm_acl_bool_array_create(const bool *values, uint64_t count) {
    return made<jitnorm_acl_bool_array_t>(__func__, is_there(values, count),
                                          [&] { return new bool_array(values, values + count); });
}

jitnorm_acl_status_t jitnorm_acl_bool_array_destroy(const_jitnorm_acl_bool_array_t array) { return destroyed(array); }

jitnorm_acl_status_t jitnorm_acl_bool_array_get_size(const_jitnorm_acl_bool_array_t array, uint64_t *count) {
    return tell_size(__func__, array, count);
}
