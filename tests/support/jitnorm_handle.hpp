// SPDX-License-Identifier: Apache-2.0
// jitnorm_handle: owners of handles of the C interface, and short functions that make handles. The functions under test
// are called as C calls them. No test framework is needed, so that programs and fuzz targets can use this file.
#pragma once

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jitnorm/jitnorm.h"

namespace jitnorm::tests {

#define EXPECT_OK(call) EXPECT_EQ(call, jitnorm_success)
#define ASSERT_OK(call) ASSERT_EQ(call, jitnorm_success)

// Throws if a call failed. For calls that have to work before a test can begin.
template <typename Status>
void must(Status status, const char *what) {
    if (int(status) != 0) throw std::runtime_error(std::string(what) + ": status " + std::to_string(int(status)));
}

// The value that `get` writes; it must succeed.
template <typename Status, typename Object, typename Value>
Value queried(Status (*get)(Object, Value *), std::type_identity_t<Object> object) {
    Value value;
    std::memset(&value, 0x55, sizeof value); // no function writes this
    must(get(object, &value), "a query succeeds");
    return value;
}

// Owns a handle. `destroy` is the function of the C interface that destroys it; it returns 0.
template <typename Handle, auto destroy>
class owned {
public:
    owned() = default;
    owned(std::nullptr_t) {}
    explicit owned(Handle handle) : handle_(handle) {}
    owned(const owned &) = delete;
    owned &operator=(const owned &) = delete;
    owned(owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    owned &operator=(owned &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~owned() { reset(); }

    // Destroys the handle and takes another one. Ends the process if the handle cannot be destroyed.
    void reset(Handle handle = nullptr) noexcept {
        if (handle_ != nullptr) must(destroy(handle_), "an object can be destroyed");
        handle_ = handle;
    }

    Handle *operator&() { return &handle_; } // for create functions; the handle must be empty
    Handle get() const { return handle_; }
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
    must(jitnorm_engine_create(&engine, jitnorm_cpu, 0), "an engine");
    return engine;
}

// An object of such a type, which the function makes of the arguments after the pointer to its handle.
template <typename Owned, typename Create, typename... Arguments>
Owned make_owned(const char *what, Create create, Arguments... arguments) {
    Owned object;
    must(create(&object, arguments...), what);
    return object;
}

inline owned_stream make_stream() {
    return make_owned<owned_stream>("a stream", jitnorm_stream_create, cpu(), jitnorm_stream_default_flags);
}

inline owned_stream make_stream(const jitnorm_thread_pool_t &pool) {
    return make_owned<owned_stream>("a stream", jitnorm_stream_create_with_thread_pool, cpu(),
                                    jitnorm_stream_default_flags, &pool);
}

inline owned_attr make_attr() { return make_owned<owned_attr>("attributes", jitnorm_primitive_attr_create); }

// With which the user gives the scratchpad.
inline owned_attr with_user_scratchpad() {
    owned_attr attr = make_attr();
    must(jitnorm_primitive_attr_set_scratchpad_mode(attr, jitnorm_scratchpad_mode_user), "a scratchpad mode");
    return attr;
}

inline owned_post_ops make_post_ops() { return make_owned<owned_post_ops>("post-ops", jitnorm_post_ops_create); }

inline owned_md make_md(const dims &sizes, jitnorm_data_type_t type, jitnorm_format_tag_t tag) {
    return make_owned<owned_md>("a descriptor", jitnorm_memory_desc_create_with_tag, int(sizes.size()), sizes.data(),
                                type, tag);
}

inline owned_md make_md(const dims &sizes, jitnorm_data_type_t type, const dims &strides = {}) {
    return make_owned<owned_md>("a descriptor", jitnorm_memory_desc_create_with_strides, int(sizes.size()),
                                sizes.data(), type, strides.empty() ? nullptr : strides.data());
}

inline owned_memory make_memory(const_jitnorm_memory_desc_t md, void *data) {
    return make_owned<owned_memory>("a memory", jitnorm_memory_create, md, cpu(), data);
}

inline owned_primitive make_primitive(const_jitnorm_primitive_desc_t pd) {
    return make_owned<owned_primitive>("a primitive", jitnorm_primitive_create, pd);
}

template <typename Answer>
Answer ask(const_jitnorm_memory_desc_t md, jitnorm_query_t what) {
    Answer answer{};
    must(jitnorm_memory_desc_query(md, what, &answer), "a descriptor says what it is");
    return answer;
}

inline int ndims_of(const_jitnorm_memory_desc_t md) { return ask<int>(md, jitnorm_query_ndims_s32); }

// The array that the descriptor returns for `what`. `count_query` is the query for its length.
inline dims dims_of(const_jitnorm_memory_desc_t md, jitnorm_query_t what,
                    jitnorm_query_t count_query = jitnorm_query_ndims_s32) {
    const auto *values = ask<const jitnorm_dim_t *>(md, what);
    return values == nullptr ? dims{} : dims(values, values + ask<int>(md, count_query));
}

inline const char *implementation_of(const_jitnorm_primitive_desc_t pd) {
    const char *name = nullptr;
    must(jitnorm_primitive_desc_query(pd, jitnorm_query_impl_info_str, 0, &name), "an implementation has a name");
    return name;
}

} // namespace jitnorm::tests
