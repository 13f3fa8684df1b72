// SPDX-License-Identifier: Apache-2.0
// acl_tensor: an aclTensor over guarded memory, filled and read in logical order as doubles, in a layout to choose.
#pragma once

#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "arithmetic/convert.hpp"
#include "rig/guarded_buffer.hpp"

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

// Calls body(stored_as<Stored>).
template <typename Body>
decltype(auto) visit_acl_type(aclDataType type, Body &&body) {
    if (type == ACL_FLOAT16) return body(impl::stored_as<impl::f16>());
    if (type == ACL_BF16) return body(impl::stored_as<impl::bf16>());
    return body(impl::stored_as<float>());
}

class acl_tensor {
public:
    acl_tensor(const dims_t &shape, aclDataType type, layout how = layout::dense)
        : acl_tensor(shape, type, strides_of(shape, how), offset_of(how)) {}

    acl_tensor(const dims_t &shape, aclDataType type, const dims_t &strides, int64_t offset)
        : dims_(shape), strides_(strides), offset_(offset), type_(type), buffer_(extent() * aclDataTypeSize(type)),
          handle_(aclCreateTensor(shape.data(), shape.size(), type, strides.data(), offset, ACL_FORMAT_ND, shape.data(),
                                  shape.size(), buffer_.data())) {}

    aclTensor *get() const { return handle_.get(); }
    const dims_t &shape() const { return dims_; }
    aclDataType type() const { return type_; }
    void *data() const { return buffer_.data(); }
    size_t count() const {
        return size_t(std::accumulate(dims_.begin(), dims_.end(), int64_t(1), std::multiplies<>()));
    }

    void fill(const std::vector<double> &values) const {
        for (size_t i = 0; i < values.size(); ++i)
            visit_acl_type(type_, [&]<typename Stored>(impl::stored_as<Stored>) {
                const Stored value = impl::narrow<Stored>(values[i]);
                std::memcpy(at(i), &value, sizeof value);
            });
    }
    std::vector<double> values() const {
        std::vector<double> result(count());
        for (size_t i = 0; i < result.size(); ++i)
            visit_acl_type(type_, [&]<typename Stored>(impl::stored_as<Stored>) {
                Stored value;
                std::memcpy(&value, at(i), sizeof value);
                result[i] = impl::widen<double>(value);
            });
        return result;
    }
    // The elements' bytes in logical order, whatever the layout.
    std::vector<unsigned char> bits() const {
        const size_t size = aclDataTypeSize(type_);
        std::vector<unsigned char> result(count() * size);
        for (size_t i = 0; i < count(); ++i) std::memcpy(result.data() + i * size, at(i), size);
        return result;
    }

    void fill_normal(double mean, double deviation, unsigned seed) const {
        std::mt19937 random(seed);
        std::normal_distribution<double> distribution(mean, deviation);
        std::vector<double> values(count());
        for (double &value : values) value = distribution(random);
        fill(values);
    }

    // Whether nothing but elements has been written to.
    bool gaps_are_untouched() const {
        std::vector<char> is_element(buffer_.bytes(), 0);
        for (size_t i = 0; i < count(); ++i)
            std::memset(is_element.data() + (at(i) - begin()), 1, aclDataTypeSize(type_));
        for (size_t i = 0; i < is_element.size(); ++i)
            if (!is_element[i] && begin()[i] != guarded_buffer::CANARY) return false;
        return buffer_.slack_untouched();
    }
    bool is_untouched() const {
        return std::all_of(begin(), begin() + buffer_.bytes(),
                           [](unsigned char byte) { return byte == guarded_buffer::CANARY; });
    }

private:
    size_t extent() const {
        int64_t end = offset_ + 1;
        for (size_t d = 0; d < dims_.size(); ++d) {
            if (dims_[d] == 0) return 0;
            end += (dims_[d] - 1) * strides_[d];
        }
        return size_t(end);
    }
    unsigned char *begin() const { return static_cast<unsigned char *>(buffer_.data()); }
    unsigned char *at(size_t index) const {
        int64_t offset = offset_, rest = int64_t(index);
        for (size_t d = dims_.size(); d-- > 0; rest /= dims_[d]) offset += rest % dims_[d] * strides_[d];
        return begin() + size_t(offset) * aclDataTypeSize(type_);
    }

    dims_t dims_, strides_;
    int64_t offset_;
    aclDataType type_;
    guarded_buffer buffer_;
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
