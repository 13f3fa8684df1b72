// SPDX-License-Identifier: Apache-2.0
// api: the library's handles as owners, and its statuses as exceptions.
#pragma once

#include <memory>
#include <stdexcept>
#include <type_traits>

#include "jitnorm/jitnorm.h"

namespace benchdnn_lite {

// A function of the library answered something else than success.
struct api_error : std::runtime_error {
    api_error(jitnorm_status_t answer, const char *call);
    jitnorm_status_t status;
};

void check_status(jitnorm_status_t status, const char *call);

template <auto Destroy>
struct destroyer {
    template <typename T>
    void operator()(T *handle) const {
        Destroy(handle);
    }
};

template <typename Handle, auto Destroy>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroyer<Destroy>>;

using engine = owner<jitnorm_engine_t, jitnorm_engine_destroy>;
using stream = owner<jitnorm_stream_t, jitnorm_stream_destroy>;
using memory_desc = owner<jitnorm_memory_desc_t, jitnorm_memory_desc_destroy>;
using memory = owner<jitnorm_memory_t, jitnorm_memory_destroy>;
using primitive_attr = owner<jitnorm_primitive_attr_t, jitnorm_primitive_attr_destroy>;
using post_op_list = owner<jitnorm_post_ops_t, jitnorm_post_ops_destroy>;
using primitive_desc = owner<jitnorm_primitive_desc_t, jitnorm_primitive_desc_destroy>;
using primitive = owner<jitnorm_primitive_t, jitnorm_primitive_destroy>;

// Calls `create`, which writes a handle through its first argument, and owns the handle.
template <typename Owner, typename Create, typename... Arguments>
Owner make(const char *call, Create create, Arguments... arguments) {
    typename Owner::pointer handle = nullptr;
    check_status(create(&handle, arguments...), call);
    return Owner(handle);
}

} // namespace benchdnn_lite
