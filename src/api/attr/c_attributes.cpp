// SPDX-License-Identifier: Apache-2.0
// C interface: attributes of primitives, except scales and zero points, and their way into a problem.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "attr.hpp"
#include "jitnorm/jitnorm.h"
#include "jitnorm/jitnorm_attr.h"

namespace jitnorm::impl::api {

const memory_desc &tensor_descs::operator[](layer_norm::slot s) const {
    const auto found = std::ranges::find(entries_, s, &entry::first);
    return found != entries_.end() ? *found->second : NO_TENSOR;
}

void tensor_descs::set(std::initializer_list<std::pair<layer_norm::slot, const memory_desc *>> changes) {
    std::vector<entry> changed = entries_;
    for (const auto &[s, md] : changes) {
        std::erase_if(changed, [place = s](const entry &old) { return old.first == place; });
        if (md != nullptr && md->ndims != 0) changed.emplace_back(s, std::make_shared<const memory_desc>(*md));
    }
    entries_ = std::move(changed);
}

status lower(const jitnorm_primitive_attr &given, layer_norm::problem &p) {
    if (!given.unsupported_requests.empty()) return unsupported(given.unsupported_requests.front().reason);
    if (given.fpmath_applies_to_int && given.fpmath_mode != jitnorm_fpmath_mode_strict)
        return unsupported("attr has a floating-point mode that applies to integers");
    if (given.accumulation_mode > jitnorm_accumulation_mode_any)
        return unsupported(explain("attr has the accumulation mode %d; supported: strict, relaxed and any",
                                   int(given.accumulation_mode)));
    p.epsilon = given.epsilon.value_or(p.epsilon);
    attributes &result = p.attr;
    result.scratchpad_mode = given.scratchpad_mode;
    result.src_scale = given.src_scale;
    result.dst_scale = given.dst_scale;
    result.bias_type = given.bias_type;
    result.normalizes_rounded_sum = (given.residual_flags & unsigned(jitnorm_residual_normalize_rounded)) != 0;
    result.multiplies_silu = (given.residual_flags & unsigned(jitnorm_residual_mul_silu)) != 0;
    for (const auto &[s, md] : given.tensors) p[s] = *md;
    for (const any_post_op &entry : given.post_ops.entries) {
        if (std::holds_alternative<prelu_post_op>(entry)) return unsupported("attr has a prelu post-op");
        std::visit(
            [&]<typename Entry>(const Entry &taken) {
                if constexpr (!std::is_same_v<Entry, prelu_post_op>) result.post_ops.entries.emplace_back(taken);
            },
            entry);
    }
    return {};
}

} // namespace jitnorm::impl::api

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;
using enum jitnorm::impl::layer_norm::slot;

namespace {

constinit std::atomic<jitnorm_fpmath_mode_t> default_fpmath_mode = jitnorm_fpmath_mode_strict;

constexpr int ARG_DIFF_WEIGHTS = 161; // oneDNN's number for the gradients of weights, here of scale and shift

status unknown_mode(int mode) { return invalid(explain("unknown mode %d", mode)); }

bool has_rounding(int arg) { return arg == JITNORM_ARG_DST || arg == JITNORM_ARG_DIFF_SRC || arg == ARG_DIFF_WEIGHTS; }

jitnorm_status_t set_tensors(const char *function, jitnorm_primitive_attr_t attr,
                             std::initializer_list<std::pair<layer_norm::slot, const memory_desc *>> changes) {
    if (any_null(attr)) return report_null(function, "attr", {attr});
    return guarded(function, [&] { attr->tensors.set(changes); });
}

} // namespace

jitnorm_primitive_attr::jitnorm_primitive_attr() : fpmath_mode(default_fpmath_mode.load(std::memory_order_relaxed)) {}

void jitnorm_primitive_attr::request(setting what, int arg, const char *refusal) {
    std::erase_if(unsupported_requests, [&](const auto &r) { return r.what == what && r.arg == arg; });
    if (refusal != nullptr) unsupported_requests.push_back({what, arg, refusal});
}

jitnorm_status_t jitnorm_set_default_fpmath_mode(jitnorm_fpmath_mode_t mode) {
    if (!is_known(mode)) return report(__func__, unknown_mode(mode));
    default_fpmath_mode.store(mode, std::memory_order_relaxed);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_get_default_fpmath_mode(jitnorm_fpmath_mode_t *mode) {
    JITNORM_REFUSE_NULL(mode);
    *mode = default_fpmath_mode.load(std::memory_order_relaxed);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_create(jitnorm_primitive_attr_t *attr) {
    JITNORM_REFUSE_NULL(attr);
    return create(__func__, attr);
}

jitnorm_status_t jitnorm_primitive_attr_clone(jitnorm_primitive_attr_t *attr, const_jitnorm_primitive_attr_t existing) {
    return clone(__func__, attr, existing);
}

jitnorm_status_t jitnorm_primitive_attr_destroy(jitnorm_primitive_attr_t attr) { return destroy(attr); }

JITNORM_GETTER(jitnorm_primitive_attr_get_scratchpad_mode, const_jitnorm_primitive_attr_t, attr,
               jitnorm_scratchpad_mode_t, mode, attr->scratchpad_mode)
JITNORM_GETTER(jitnorm_primitive_attr_get_post_ops, const_jitnorm_primitive_attr_t, attr, const_jitnorm_post_ops_t,
               post_ops, &attr->post_ops)
JITNORM_GETTER(jitnorm_primitive_attr_get_deterministic, const_jitnorm_primitive_attr_t, attr, int, value,
               attr->deterministic)
JITNORM_GETTER(jitnorm_primitive_attr_get_fpmath_mode, const_jitnorm_primitive_attr_t, attr, jitnorm_fpmath_mode_t,
               mode, attr->fpmath_mode)
JITNORM_GETTER(jitnorm_primitive_attr_get_accumulation_mode, const_jitnorm_primitive_attr_t, attr,
               jitnorm_accumulation_mode_t, mode, attr->accumulation_mode)
JITNORM_GETTER(jitnorm_primitive_attr_get_epsilon, const_jitnorm_primitive_attr_t, attr, double, epsilon,
               attr->epsilon.value_or(-1))

jitnorm_status_t jitnorm_primitive_attr_set_scratchpad_mode(jitnorm_primitive_attr_t attr,
                                                            jitnorm_scratchpad_mode_t mode) {
    JITNORM_REFUSE_NULL(attr);
    if (mode != jitnorm_scratchpad_mode_library && mode != jitnorm_scratchpad_mode_user)
        return report(__func__, unknown_mode(mode));
    attr->scratchpad_mode = mode;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_post_ops(jitnorm_primitive_attr_t attr, const_jitnorm_post_ops_t post_ops) {
    JITNORM_REFUSE_NULL(attr, post_ops);
    return guarded(__func__, [&] { attr->post_ops = *post_ops; });
}

// ---------------------------------------------------------------- modes

jitnorm_status_t jitnorm_primitive_attr_set_deterministic(jitnorm_primitive_attr_t attr, int value) {
    JITNORM_REFUSE_NULL(attr);
    attr->deterministic = value != 0;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode(jitnorm_primitive_attr_t attr, jitnorm_fpmath_mode_t mode) {
    return jitnorm_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

jitnorm_status_t jitnorm_primitive_attr_get_fpmath_mode_v2(const_jitnorm_primitive_attr_t attr,
                                                           jitnorm_fpmath_mode_t *mode, int *apply_to_int) {
    JITNORM_REFUSE_NULL(attr);
    if (mode != nullptr) *mode = attr->fpmath_mode;
    if (apply_to_int != nullptr) *apply_to_int = attr->fpmath_applies_to_int;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_fpmath_mode_v2(jitnorm_primitive_attr_t attr, jitnorm_fpmath_mode_t mode,
                                                           int apply_to_int) {
    JITNORM_REFUSE_NULL(attr);
    if (!is_known(mode)) return report(__func__, unknown_mode(mode));
    attr->fpmath_mode = mode;
    attr->fpmath_applies_to_int = apply_to_int != 0;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_accumulation_mode(jitnorm_primitive_attr_t attr,
                                                              jitnorm_accumulation_mode_t mode) {
    JITNORM_REFUSE_NULL(attr);
    if (mode < jitnorm_accumulation_mode_strict || mode > jitnorm_accumulation_mode_f16)
        return report(__func__, unknown_mode(mode));
    attr->accumulation_mode = mode;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_get_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                     jitnorm_rounding_mode_t *mode) {
    JITNORM_REFUSE_NULL(attr, mode);
    const bool is_stochastic = std::ranges::any_of(
        attr->unsupported_requests, [&](const auto &r) { return r.what == setting::rounding && r.arg == arg; });
    *mode = is_stochastic ? jitnorm_rounding_mode_stochastic : jitnorm_rounding_mode_environment;
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_rounding(jitnorm_primitive_attr_t attr, int arg,
                                                     jitnorm_rounding_mode_t mode) {
    JITNORM_REFUSE_NULL(attr);
    if (mode != jitnorm_rounding_mode_environment && mode != jitnorm_rounding_mode_stochastic)
        return report(__func__, unknown_mode(mode));
    const bool is_stochastic = mode == jitnorm_rounding_mode_stochastic;
    if (is_stochastic && !has_rounding(arg))
        return report(__func__, invalid(explain("arg is %d, which takes no rounding mode", arg)));
    return guarded(__func__, [&] {
        attr->request(setting::rounding, arg, is_stochastic ? "attr asks for stochastic rounding" : nullptr);
    });
}

jitnorm_status_t jitnorm_primitive_attr_set_epsilon(jitnorm_primitive_attr_t attr, double epsilon) {
    JITNORM_REFUSE_NULL(attr);
    if (!std::isfinite(epsilon) || epsilon < 0)
        return report(__func__, invalid(explain("epsilon is %g; it must be finite and not negative", epsilon)));
    attr->epsilon = epsilon;
    return jitnorm_success;
}

// ---- the residual addition and other tensors

jitnorm_status_t jitnorm_primitive_attr_set_residual(jitnorm_primitive_attr_t attr,
                                                     const_jitnorm_memory_desc_t residual_desc,
                                                     const_jitnorm_memory_desc_t sum_desc,
                                                     jitnorm_data_type_t bias_data_type, unsigned flags) {
    JITNORM_REFUSE_NULL(attr, residual_desc);
    return guarded(__func__, [&]() -> status {
        if (residual_desc->ndims == 0) return invalid("residual_desc has no dimensions");
        if (bias_data_type != jitnorm_data_type_undef && size_of(bias_data_type) == 0)
            return invalid(explain("unknown bias_data_type %d", int(bias_data_type)));
        if ((flags & ~unsigned(jitnorm_residual_normalize_rounded | jitnorm_residual_mul_silu)) != 0)
            return invalid(explain("flags 0x%x has unknown bits", flags));
        const bool has_sum = sum_desc != nullptr && sum_desc->ndims != 0;
        if ((flags & unsigned(jitnorm_residual_normalize_rounded)) != 0 && !has_sum)
            return invalid("flags has residual_normalize_rounded, and sum_desc describes no sum");
        attr->tensors.set({{RESIDUAL, residual_desc}, {SUM, sum_desc}});
        attr->bias_type = bias_data_type;
        attr->residual_flags = flags;
        return {};
    });
}

jitnorm_status_t jitnorm_primitive_attr_get_residual(const_jitnorm_primitive_attr_t attr,
                                                     const_jitnorm_memory_desc_t *residual_desc,
                                                     const_jitnorm_memory_desc_t *sum_desc,
                                                     jitnorm_data_type_t *bias_data_type, unsigned *flags) {
    JITNORM_REFUSE_NULL(attr);
    if (residual_desc != nullptr) *residual_desc = &attr->tensors[RESIDUAL];
    if (sum_desc != nullptr) *sum_desc = &attr->tensors[SUM];
    if (bias_data_type != nullptr) *bias_data_type = attr->bias_type;
    if (flags != nullptr) *flags = attr->residual_flags;
    return jitnorm_success;
}

// Defines the functions of an attribute that is one tensor.
#define TENSOR_ATTRIBUTE(place, setter, getter, desc)                                                                  \
    jitnorm_status_t setter(jitnorm_primitive_attr_t attr, const_jitnorm_memory_desc_t desc) {                         \
        return set_tensors(__func__, attr, {{place, desc}});                                                           \
    }                                                                                                                  \
    JITNORM_GETTER(getter, const_jitnorm_primitive_attr_t, attr, const_jitnorm_memory_desc_t, desc,                    \
                   &attr->tensors[place])

TENSOR_ATTRIBUTE(GATE, jitnorm_primitive_attr_set_residual_gate, jitnorm_primitive_attr_get_residual_gate, gate_desc)
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    TENSOR_ATTRIBUTE(place, jitnorm_primitive_attr_set_##attribute##_dst,                                              \
                     jitnorm_primitive_attr_get_##attribute##_dst, attribute##_desc)
#include "../../../tables/outputs.inc"

jitnorm_status_t jitnorm_primitive_attr_set_scale_shift_descs(jitnorm_primitive_attr_t attr,
                                                              const_jitnorm_memory_desc_t scale_desc,
                                                              const_jitnorm_memory_desc_t shift_desc) {
    return set_tensors(__func__, attr, {{SCALE, scale_desc}, {SHIFT, shift_desc}});
}

jitnorm_status_t jitnorm_primitive_attr_get_scale_shift_descs(const_jitnorm_primitive_attr_t attr,
                                                              const_jitnorm_memory_desc_t *scale_desc,
                                                              const_jitnorm_memory_desc_t *shift_desc) {
    JITNORM_REFUSE_NULL(attr, scale_desc, shift_desc);
    *scale_desc = &attr->tensors[SCALE];
    *shift_desc = &attr->tensors[SHIFT];
    return jitnorm_success;
}
