// SPDX-License-Identifier: Apache-2.0
// acl_tensor: an aclTensor over guarded memory, filled and read in logical order as doubles, in a layout to choose.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "support/layouts.hpp"
#include "support/tensor.hpp"

namespace jitnorm::tests {

using dims_t = std::vector<int64_t>;

// Layouts (support/layouts.hpp) but for the dense one.
inline const std::string DENSE = "dense", REVERSED = "reversed+7", SPREAD = "spread+7";

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

inline dims_t strides_of(const dims_t &shape, const std::string &layout = DENSE) {
    const memory_desc md = make_layout(layout, shape, jitnorm_f32);
    return {md.strides, md.strides + shape.size()};
}

// A tensor in this memory, row-major if there are no strides.
inline acl_owned<aclTensor> tensor_at(void *data, const dims_t &shape, aclDataType type = ACL_FLOAT,
                                      const dims_t &strides = {}, int64_t offset = 0,
                                      aclFormat format = ACL_FORMAT_ND) {
    return acl_owned<aclTensor>(aclCreateTensor(shape.data(), shape.size(), type,
                                                strides.empty() ? nullptr : strides.data(), offset, format,
                                                shape.data(), shape.size(), data));
}

class acl_tensor {
public:
    explicit acl_tensor(const dims_t &shape, aclDataType type, const std::string &layout = DENSE)
        : acl_tensor(shape, type, make_layout(layout, shape, data_type_of(type))) {}
    acl_tensor(const dims_t &shape, aclDataType type, const memory_desc &md)
        : dims_(shape), type_(type), tensor_(md),
          handle_(tensor_at(tensor_.data(), shape, type, {md.strides, md.strides + shape.size()}, md.offset0)) {}

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
