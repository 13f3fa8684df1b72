// SPDX-License-Identifier: Apache-2.0
// c_objects: handles of the C interface that end by themselves, and short ways to make them. The functions under test
// are called as C calls them.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

#define EXPECT_OK(call) EXPECT_EQ(call, jitnorm_success)
#define ASSERT_OK(call) ASSERT_EQ(call, jitnorm_success)

template <typename Handle, jitnorm_status_t (*destroy)(Handle)>
class owned {
public:
    owned() = default;
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    owned(owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    owned &operator=(owned &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owned() { destroy(handle_); }

    Handle *operator&() { return &handle_; } // for create functions; the handle must be empty
    operator Handle() const { return handle_; }
    bool is_empty() const { return handle_ == nullptr; }

private:
    Handle handle_ = nullptr;
};

using owned_stream = owned<jitnorm_stream_t, jitnorm_stream_destroy>;
using owned_md = owned<jitnorm_memory_desc_t, jitnorm_memory_desc_destroy>;
using owned_memory = owned<jitnorm_memory_t, jitnorm_memory_destroy>;
using owned_attr = owned<jitnorm_primitive_attr_t, jitnorm_primitive_attr_destroy>;
using owned_post_ops = owned<jitnorm_post_ops_t, jitnorm_post_ops_destroy>;
using owned_pd = owned<jitnorm_primitive_desc_t, jitnorm_primitive_desc_destroy>;
using owned_primitive = owned<jitnorm_primitive_t, jitnorm_primitive_destroy>;

using dims = std::vector<jitnorm_dim_t>;

inline jitnorm_engine_t cpu() {
    jitnorm_engine_t engine = nullptr;
    EXPECT_OK(jitnorm_engine_create(&engine, jitnorm_cpu, 0));
    return engine;
}

inline owned_stream make_stream() {
    owned_stream stream;
    EXPECT_OK(jitnorm_stream_create(&stream, cpu(), jitnorm_stream_default_flags));
    return stream;
}

inline owned_md make_md(const dims &sizes, jitnorm_data_type_t type, jitnorm_format_tag_t tag) {
    owned_md md;
    EXPECT_OK(jitnorm_memory_desc_create_with_tag(&md, int(sizes.size()), sizes.data(), type, tag));
    return md;
}

inline owned_md make_md(const dims &sizes, jitnorm_data_type_t type, const dims &strides = {}) {
    owned_md md;
    EXPECT_OK(jitnorm_memory_desc_create_with_strides(&md, int(sizes.size()), sizes.data(), type,
                                                      strides.empty() ? nullptr : strides.data()));
    return md;
}

inline owned_memory make_memory(const_jitnorm_memory_desc_t md, void *data) {
    owned_memory memory;
    EXPECT_OK(jitnorm_memory_create(&memory, md, cpu(), data));
    return memory;
}

// The array that a descriptor answers to `what`.
inline dims dims_of(const_jitnorm_memory_desc_t md, jitnorm_query_t what,
                    jitnorm_query_t count_query = jitnorm_query_ndims_s32) {
    int count = -1;
    const jitnorm_dim_t *values = nullptr;
    EXPECT_OK(jitnorm_memory_desc_query(md, count_query, &count));
    EXPECT_OK(jitnorm_memory_desc_query(md, what, &values));
    return values == nullptr ? dims{} : dims(values, values + count);
}

inline int ndims_of(const_jitnorm_memory_desc_t md) {
    int count = -1;
    EXPECT_OK(jitnorm_memory_desc_query(md, jitnorm_query_ndims_s32, &count));
    return count;
}

// What a create call is made of, with values that work: change one and see.
struct forward_request {
    jitnorm_prop_kind_t prop_kind = jitnorm_forward_training;
    const_jitnorm_memory_desc_t src = nullptr, dst = nullptr, statistics = nullptr;
    jitnorm_data_type_t scale_shift_type = jitnorm_f32;
    float epsilon = 1e-5f;
    unsigned flags = 0;
    const_jitnorm_primitive_attr_t attr = nullptr;

    jitnorm_status_t create(jitnorm_primitive_desc_t *pd) const {
        return jitnorm_layer_normalization_forward_primitive_desc_create_v2(pd, cpu(), prop_kind, src, dst, statistics,
                                                                            scale_shift_type, epsilon, flags, attr);
    }
};

struct backward_request {
    jitnorm_prop_kind_t prop_kind = jitnorm_backward;
    const_jitnorm_memory_desc_t diff_src = nullptr, diff_dst = nullptr, src = nullptr, statistics = nullptr;
    jitnorm_data_type_t diff_scale_shift_type = jitnorm_f32, scale_shift_type = jitnorm_f32;
    float epsilon = 1e-5f;
    unsigned flags = 0;
    const_jitnorm_primitive_desc_t hint = nullptr;
    const_jitnorm_primitive_attr_t attr = nullptr;

    jitnorm_status_t create(jitnorm_primitive_desc_t *pd) const {
        return jitnorm_layer_normalization_backward_primitive_desc_create_v2(
            pd, cpu(), prop_kind, diff_src, diff_dst, src, statistics, diff_scale_shift_type, scale_shift_type, epsilon,
            flags, hint, attr);
    }
};

} // namespace jitnorm::tests
