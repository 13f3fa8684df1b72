// SPDX-License-Identifier: Apache-2.0
// acl_tensor: an aclTensor over guarded memory, filled and read in logical order as doubles, in a layout to choose.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "rig/tensor.hpp"

namespace jitnorm::tests {

using dims_t = std::vector<int64_t>;

enum class layout {
    dense,     // row major, nothing before
    reversed,  // column major, behind an offset
    gaps,      // row major with room between all elements, behind an offset
    broadcast, // the first dimension has stride 0: inputs only
};

inline dims_t strides_of(const dims_t &shape, layout how) {
    dims_t strides(shape.size());
    int64_t stride = how == layout::gaps ? 2 : 1;
    for (size_t i = 0; i < shape.size(); ++i) {
        const size_t d = how == layout::reversed ? i : shape.size() - 1 - i;
        strides[d] = stride;
        stride = stride * std::max<int64_t>(shape[d], 1) + (how == layout::gaps ? 1 : 0);
    }
    if (how == layout::broadcast) strides[0] = 0;
    return strides;
}

inline int64_t offset_of(layout how) { return how == layout::dense || how == layout::broadcast ? 0 : 3; }

struct destroy_acl {
    void operator()(aclTensor *tensor) const { aclDestroyTensor(tensor); }
    void operator()(aclIntArray *array) const { aclDestroyIntArray(array); }
    void operator()(aclBoolArray *array) const { aclDestroyBoolArray(array); }
};
template <typename Object>
using acl_owned = std::unique_ptr<Object, destroy_acl>;

inline jitnorm_data_type_t data_type_of(aclDataType type) {
    return type == ACL_FLOAT16         ? jitnorm_f16
           : type == ACL_BF16          ? jitnorm_bf16
           : type == ACL_INT8          ? jitnorm_s8
           : type == ACL_FLOAT8_E5M2   ? jitnorm_f8_e5m2
           : type == ACL_FLOAT8_E4M3FN ? jitnorm_f8_e4m3
                                       : jitnorm_f32;
}

class acl_tensor {
public:
    acl_tensor(const dims_t &shape, aclDataType type, layout how = layout::dense)
        : acl_tensor(shape, type, strides_of(shape, how), offset_of(how)) {}

    acl_tensor(const dims_t &shape, aclDataType type, const dims_t &strides, int64_t offset)
        : dims_(shape), type_(type), tensor_(describe(shape, type, strides, offset)),
          handle_(aclCreateTensor(shape.data(), shape.size(), type, strides.data(), offset, ACL_FORMAT_ND, shape.data(),
                                  shape.size(), tensor_.data())) {}

    aclTensor *get() const { return handle_.get(); }
    const dims_t &shape() const { return dims_; }
    aclDataType type() const { return type_; }
    void *data() const { return tensor_.data(); }
    size_t count() const { return size_t(nelems(tensor_.md())); }

    void fill(const std::vector<double> &values) const { tensor_.fill(values); }
    void fill_normal(double mean, double deviation, unsigned seed) const {
        fill(random_values(dim_t(count()), mean, deviation, seed));
    }
    std::vector<double> values() const { return tensor_.values(); }
    // The elements' bytes in logical order, whatever the layout.
    std::vector<unsigned char> bits() const {
        const size_t size = aclDataTypeSize(type_);
        std::vector<unsigned char> result(count() * size);
        for (size_t i = 0; i < count(); ++i)
            std::memcpy(result.data() + i * size,
                        static_cast<char *>(data()) + size_t(impl::offset_of_index(tensor_.md(), dim_t(i))) * size,
                        size);
        return result;
    }

    // Whether nothing but elements has been written to.
    bool gaps_are_untouched() const { return tensor_.surroundings_are_right(); }
    bool is_untouched() const { return tensor_.is_untouched(); }

private:
    static memory_desc describe(const dims_t &shape, aclDataType type, const dims_t &strides, int64_t offset) {
        memory_desc md = impl::make_dense(shape, data_type_of(type));
        std::copy(strides.begin(), strides.end(), md.strides);
        md.offset0 = offset;
        return md;
    }

    dims_t dims_;
    aclDataType type_;
    tensor tensor_;
    acl_owned<aclTensor> handle_;
};

inline acl_owned<aclIntArray> int_array(const dims_t &values) {
    return acl_owned<aclIntArray>(aclCreateIntArray(values.data(), values.size()));
}

inline acl_owned<aclBoolArray> mask_of(bool input, bool weight, bool bias) {
    const bool values[3] = {input, weight, bias};
    return acl_owned<aclBoolArray>(aclCreateBoolArray(values, 3));
}

} // namespace jitnorm::tests
