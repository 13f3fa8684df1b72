// SPDX-License-Identifier: Apache-2.0
// api: calls of the library: a table of its functions, which may be those of another build, owners of its handles, and
// exceptions for its statuses.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "../error.hpp"
#include "jitnorm/jitnorm.h"

namespace benchdnn_lite {

// A function of the library returned a status other than success. The text has the function's name, the status and the
// library's last error.
struct api_error : unsupported {
    api_error(jitnorm_status_t answer, const char *call);
    jitnorm_status_t status;
};

// Throws api_error unless the status is success. call: the function's name.
void check_status(jitnorm_status_t status, const char *call);

// A function of a library. A call checks the status that the function returns; another result is handed on.
template <typename Function>
struct library_function;

template <typename Result, typename... Parameters>
struct library_function<Result (*)(Parameters...)> {
    using pointer = Result (*)(Parameters...);
    pointer function;
    const char *name;

    library_function &operator=(pointer other) {
        function = other;
        return *this;
    }

    auto operator()(Parameters... arguments) const {
        if constexpr (std::is_same_v<Result, jitnorm_status_t>)
            check_status(function(arguments...), name);
        else
            return function(arguments...);
    }
};

std::string library_version(); // of the library that the program is linked with: "1.2.3"

// The functions that every build has and that sessions, operations and executions call, named without the prefix
// jitnorm_.
// clang-format off
#define BENCHDNN_LITE_FUNCTIONS(take) \
    take(engine_create) take(engine_destroy) \
    take(stream_create) take(stream_wait) take(stream_destroy) \
    take(memory_desc_create_with_tag) take(memory_desc_create_with_strides) take(memory_desc_query) \
    take(memory_desc_get_size) take(memory_desc_destroy) \
    take(memory_create) take(memory_destroy) \
    take(post_ops_create) take(post_ops_append_sum) take(post_ops_append_eltwise) take(post_ops_append_binary) \
    take(post_ops_destroy) \
    take(primitive_attr_create) take(primitive_attr_set_scales_mask) take(primitive_attr_set_scratchpad_mode) \
    take(primitive_attr_set_post_ops) take(primitive_attr_destroy) \
    take(layer_normalization_forward_primitive_desc_create_v2) \
    take(layer_normalization_backward_primitive_desc_create_v2) \
    take(primitive_desc_next_impl) take(primitive_desc_query) take(primitive_desc_query_md) \
    take(primitive_desc_destroy) \
    take(primitive_create) take(primitive_get_primitive_desc) take(primitive_execute) take(primitive_destroy)
// clang-format on

// The functions of one library, by default of the one that the program is linked with. A handle may only be given to
// functions of the library that made it.
struct library {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member cannot be in parentheses
#define BENCHDNN_LITE_MEMBER(name) library_function<decltype(&jitnorm_##name)> name{jitnorm_##name, "jitnorm_" #name};
    BENCHDNN_LITE_FUNCTIONS(BENCHDNN_LITE_MEMBER)
#undef BENCHDNN_LITE_MEMBER
    // Finds one of the other functions, which builds of older versions may not have. The result is null if there is
    // none. Empty: the functions are those of the linked library.
    std::function<void *(const char *name)> find_later;
};

template <typename Handle>
struct destroyer {
    jitnorm_status_t (*destroy)(Handle) = nullptr;
    void operator()(Handle handle) const { destroy(handle); }
};

template <typename Handle>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroyer<Handle>>;

using engine = owner<jitnorm_engine_t>;
using stream = owner<jitnorm_stream_t>;
using memory_desc = owner<jitnorm_memory_desc_t>;
using memory = owner<jitnorm_memory_t>;
using primitive_attr = owner<jitnorm_primitive_attr_t>;
using post_op_list = owner<jitnorm_post_ops_t>;
using primitive_desc = owner<jitnorm_primitive_desc_t>;
using primitive = owner<jitnorm_primitive_t>;

// Makes a handle by `create`, which writes it through its first argument. The owner destroys it by `destroy`.
template <typename Handle, typename... Parameters, typename... Arguments>
owner<Handle> make(const library_function<jitnorm_status_t (*)(Handle *, Parameters...)> &create,
                   const library_function<jitnorm_status_t (*)(Handle)> &destroy, Arguments... arguments) {
    Handle handle = nullptr;
    create(&handle, arguments...);
    return owner<Handle>(handle, {destroy.function});
}

} // namespace benchdnn_lite
