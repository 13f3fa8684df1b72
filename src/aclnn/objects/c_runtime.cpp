// SPDX-License-Identifier: Apache-2.0
// C interface: the functions of Ascend's runtime, done on the CPU, and how all functions of this front end answer.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "../../base/boundary.hpp"
#include "../../base/bytes.hpp"
#include "../../base/verbose.hpp"
#include "../../math/convert.hpp"
#include "jitnorm/jitnorm_memory.h"
#include "objects.hpp"

namespace jitnorm::impl::aclnn {

acl_status translate(status s) {
    switch (s.code) {
    case jitnorm_success:
        return {};
    case jitnorm_out_of_memory:
        return {JITNORM_ACLNN_ERR_INNER_CREATE_EXECUTOR, s.reason};
    case jitnorm_invalid_arguments:
    case jitnorm_unimplemented:
        return invalid(s.reason);
    case jitnorm_runtime_error:
        return {JITNORM_ACLNN_ERR_RUNTIME_ERROR, s.reason};
    default:
        return {JITNORM_ACLNN_ERR_INNER, s.reason};
    }
}

acl_status status_of_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return translate(OUT_OF_MEMORY);
    } catch (const std::system_error &error) {
        return translate({jitnorm_runtime_error, error.what()});
    } catch (...) {
        return {JITNORM_ACLNN_ERR_INNER, impl::status_of_exception().reason};
    }
}

jitnorm_acl_status_t answer(const char *function, acl_status result) noexcept {
    if (!result.failed()) return result.code;
    char number[16];
    std::snprintf(number, sizeof number, "%d", int(result.code));
    remember_error(function, number, result.reason);
    if (verbose_level() >= VERBOSE_ERRORS) log_error(function, number, result.reason);
    return result.code;
}

} // namespace jitnorm::impl::aclnn

using namespace jitnorm::impl;
using namespace jitnorm::impl::aclnn;

namespace {

std::atomic<bool> initialized = false;

struct context {};
thread_local void *current_context = nullptr;

constexpr int LAST_MEMCPY_KIND = 7;

constexpr acl_status bad_parameter(const char *reason) { return {JITNORM_ACL_ERROR_INVALID_PARAM, reason}; }
constexpr acl_status NO_MEMORY = {JITNORM_ACL_ERROR_BAD_ALLOC, "out of memory"};

acl_status check_device(int32_t device) {
    if (device == 0) return {};
    return {JITNORM_ACL_ERROR_RT_INVALID_DEVICEID, "the only device is 0"};
}

acl_status check_room(size_t capacity, size_t bytes) {
    if (bytes <= capacity) return {};
    return {JITNORM_ACL_ERROR_RT_PARAM_INVALID, "the bytes exceed the capacity of the destination"};
}

// Makes a copy of `value` that the caller owns. The handle is its address.
template <typename Object>
acl_status make(void **handle, const Object &value) {
    if (handle == nullptr) return bad_parameter("the pointer for the result is null");
    auto *made = new (std::nothrow) Object(value);
    if (made == nullptr) return NO_MEMORY;
    *handle = made;
    return {};
}

} // namespace

const char *jitnorm_acl_recent_error(void) { return take_last_error(); }

jitnorm_acl_status_t jitnorm_acl_fail(jitnorm_acl_status_t status, const char *function, const char *reason) {
    return answer(function, {status, reason});
}

jitnorm_acl_status_t jitnorm_acl_init(void) {
    const bool already = initialized.exchange(true);
    return answer(__func__,
                  already ? acl_status{JITNORM_ACL_ERROR_REPEAT_INITIALIZE, "initialized already"} : acl_status{});
}

jitnorm_acl_status_t jitnorm_acl_finalize(void) {
    const bool was = initialized.exchange(false);
    return answer(__func__, was ? acl_status{} : acl_status{JITNORM_ACL_ERROR_REPEAT_FINALIZE, "not initialized"});
}

jitnorm_acl_status_t jitnorm_acl_check_device(int32_t device) { return answer(__func__, check_device(device)); }

// ---------------------------------------------------------------- contexts, streams

jitnorm_acl_status_t jitnorm_acl_context_create(void **result, int32_t device) {
    if (acl_status checked = check_device(device); checked.failed()) return answer(__func__, checked);
    const acl_status made = make(result, context{});
    if (!made.failed()) current_context = *result;
    return answer(__func__, made);
}

jitnorm_acl_status_t jitnorm_acl_context_destroy(void *handle) {
    if (handle == nullptr) return answer(__func__, bad_parameter("the context is null"));
    if (current_context == handle) current_context = nullptr;
    delete static_cast<context *>(handle);
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_context_set_current(void *handle) {
    if (handle == nullptr) return answer(__func__, bad_parameter("the context is null"));
    current_context = handle;
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_context_get_current(void **result) {
    if (result == nullptr) return answer(__func__, bad_parameter("the pointer for the result is null"));
    if (current_context == nullptr)
        return answer(__func__, {JITNORM_ACL_ERROR_RT_CONTEXT_NULL, "this thread has no context"});
    *result = current_context;
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_stream_create(void **stream) {
    jitnorm_engine_t engine = nullptr;
    jitnorm_engine_create(&engine, jitnorm_cpu, 0);
    return answer(__func__, make(stream, jitnorm_stream{engine, false, {}}));
}

jitnorm_acl_status_t jitnorm_acl_stream_destroy(void *stream) {
    if (stream == nullptr) return answer(__func__, bad_parameter("the default stream cannot be destroyed"));
    delete static_cast<jitnorm_stream *>(stream);
    return 0;
}

// ---------------------------------------------------------------- memory

jitnorm_acl_status_t jitnorm_acl_malloc(void **address, size_t bytes) {
    if (address == nullptr) return answer(__func__, bad_parameter("the pointer for the result is null"));
    if (bytes == 0) return answer(__func__, bad_parameter("the number of bytes is 0"));
    void *allocated = allocate_aligned(bytes).release();
    if (allocated == nullptr) return answer(__func__, NO_MEMORY);
    *address = allocated;
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_free(void *address) {
    if (address == nullptr) return answer(__func__, bad_parameter("an address is null"));
    std::free(address);
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_memcpy(void *to, size_t capacity, const void *from, size_t bytes, int kind) {
    if (to == nullptr || from == nullptr) return answer(__func__, bad_parameter("an address is null"));
    if (kind < 0 || kind > LAST_MEMCPY_KIND) return answer(__func__, bad_parameter("unknown kind of copy"));
    if (acl_status checked = check_room(capacity, bytes); checked.failed()) return answer(__func__, checked);
    std::memmove(to, from, bytes);
    return 0;
}

jitnorm_acl_status_t jitnorm_acl_memset(void *to, size_t capacity, int32_t value, size_t bytes) {
    if (to == nullptr) return answer(__func__, bad_parameter("an address is null"));
    if (acl_status checked = check_room(capacity, bytes); checked.failed()) return answer(__func__, checked);
    std::memset(to, value, bytes);
    return 0;
}

// ---------------------------------------------------------------- types

size_t jitnorm_acl_data_type_size(int data_type) { return find_acl_type(data_type).size; }

uint16_t jitnorm_acl_float_to_float16(float value) { return narrow<f16>(value).bits; }

float jitnorm_acl_float16_to_float(uint16_t value) { return widen<float>(f16{value}); }
