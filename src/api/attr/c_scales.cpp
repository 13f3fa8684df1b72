// SPDX-License-Identifier: Apache-2.0
// C interface: the scales and zero points of attributes.
#include <algorithm>
#include <span>

#include "attr.hpp"
#include "jitnorm/jitnorm_attr.h"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

// oneDNN's number of a type that only scales have.
constexpr int E8M0 = 13;
constexpr int SCALE_TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, E8M0, jitnorm_f8_e4m3};
constexpr int ZERO_POINT_TYPES[] = {jitnorm_s32, jitnorm_s8, jitnorm_u8};

// oneDNN's numbers of arguments that other primitives have: attributes may be made for those, too. The last two are
// added to the numbers of arguments.
constexpr int ARG_SRC_2 = 3, ARG_WEIGHTS = 33, ARG_MULTIPLE_SRC = 1024, ARG_POST_OP_DW = 16384;

bool is_quantized_everywhere(int arg) { return arg == JITNORM_ARG_SRC || arg == ARG_WEIGHTS || arg == JITNORM_ARG_DST; }
bool may_have_zero_points(int arg) { return is_quantized_everywhere(arg) || arg == ARG_SRC_2; }
bool may_have_scales(int arg) {
    return may_have_zero_points(arg) || arg == JITNORM_ARG_SRC_1 || (arg & ARG_MULTIPLE_SRC) != 0 ||
           ((arg & ARG_POST_OP_DW) != 0 && is_quantized_everywhere(arg & ~ARG_POST_OP_DW));
}

// The scales or zero points that were set for one argument.
struct quantity {
    int arg, mask, ndims;
    const dim_t *group_dims;
    jitnorm_data_type_t data_type;
    bool is_on_host;
    jitnorm_quantization_mode_t mode = jitnorm_quantization_mode_static_sazp;
};

status check_groups(const quantity &q) {
    if (q.ndims != 0 && q.ndims != 2) return invalid(explain("ndims is %d; groups have 0 or 2 dimensions", q.ndims));
    if (q.ndims == 0) return {};
    if (q.group_dims == nullptr) return invalid("group_dims is null");
    if (q.group_dims[0] < 1 || q.group_dims[1] < 1)
        return invalid(explain("group_dims are %lld and %lld; both must be positive", as_number(q.group_dims[0]),
                               as_number(q.group_dims[1])));
    return q.mask != 0 ? status{} : invalid("groups need a mask that is not 0");
}

status check(const quantity &q, std::span<const int> types, bool (*may_have)(int arg)) {
    if (q.arg < 0) return invalid(explain("arg is %d, which is negative", q.arg));
    if (!may_have(q.arg))
        return invalid(
            explain("arg %d takes neither scales nor zero points: JITNORM_ARG_SRC and JITNORM_ARG_DST do", q.arg));
    if (q.mask < 0) return invalid(explain("mask is %d, which is negative", q.mask));
    JITNORM_TRY(check_groups(q));
    if (std::ranges::count(types, int(q.data_type)) == 0)
        return invalid(explain("data_type %d is not supported here", int(q.data_type)));
    if (q.is_on_host && (q.mask != 0 || q.ndims != 0))
        return invalid(
            explain("mask is %d and ndims is %d; both must be 0 for one value on the host", q.mask, q.ndims));
    return {};
}

// Says why layer normalization does not take a scale that is given. Returns null if it takes the scale.
const char *refusal_of(const quantity &q) {
    if (q.arg != JITNORM_ARG_SRC && q.arg != JITNORM_ARG_DST)
        return "attr has a scale of another tensor than src and dst";
    if (q.mask != 0) return "attr has a scale with a mask other than 0: one scale for the whole tensor is supported";
    if (q.data_type != jitnorm_f32) return "attr has a scale of another type than f32";
    if (q.mode != jitnorm_quantization_mode_static_sazp)
        return "attr has scales with dynamic_mx or dynamic_fp; supported: static_sazp, and dynamic_amax for dst";
    return q.is_on_host ? "attr has a scale that is on the host" : nullptr;
}

// Says the same about scales that are to be found. describe_dynamic_scales() checks their mask and groups, since that
// needs the dimensions of dst.
const char *refusal_to_find(const quantity &q) {
    if (q.arg != JITNORM_ARG_DST) return "attr asks for dynamic scales of another tensor than dst";
    if (q.mask == 0)
        return "attr asks for one dynamic scale for the whole tensor; supported: one per row or per group of columns";
    return q.data_type == jitnorm_f32 ? nullptr : "attr asks for dynamic scales of another type than f32";
}

} // namespace

jitnorm_status_t jitnorm_primitive_attr_set_scales_v3(jitnorm_primitive_attr_t attr, int arg, int mask, int ndims,
                                                      const jitnorm_dims_t group_dims, jitnorm_data_type_t data_type,
                                                      int is_on_host, jitnorm_quantization_mode_t quantization_mode) {
    JITNORM_REFUSE_NULL(attr);
    const bool is_found = quantization_mode == jitnorm_quantization_mode_dynamic_amax;
    if (!is_found && (quantization_mode < jitnorm_quantization_mode_static_sazp ||
                      quantization_mode > jitnorm_quantization_mode_dynamic_fp))
        return report(__func__, invalid(explain("unknown quantization_mode %d", int(quantization_mode))));
    return guarded(__func__, [&]() -> status {
        const quantity q = {arg, mask, ndims, group_dims, data_type, is_on_host != 0, quantization_mode};
        JITNORM_TRY(check(q, SCALE_TYPES, may_have_scales));
        if (mask == 0 && (data_type == jitnorm_f8_e4m3 || int(data_type) == E8M0))
            return invalid("scales of 8 bits need a mask that is not 0");
        const char *refusal = is_found ? refusal_to_find(q) : refusal_of(q);
        attr->request(setting::scale, arg, refusal);
        const bool is_given = refusal == nullptr && !is_found;
        if (arg == JITNORM_ARG_SRC) attr->src_scale = is_given;
        if (arg == JITNORM_ARG_DST) {
            attr->dst_scale = is_given;
            attr->dynamic_scales = {};
            if (refusal == nullptr && is_found) attr->dynamic_scales = {mask, ndims, {}};
            if (attr->dynamic_scales.ndims != 0) std::copy_n(group_dims, ndims, attr->dynamic_scales.group_dims);
        }
        return {};
    });
}

jitnorm_status_t jitnorm_primitive_attr_set_scales_v2(jitnorm_primitive_attr_t attr, int arg, int mask, int ndims,
                                                      const jitnorm_dims_t group_dims, jitnorm_data_type_t data_type,
                                                      int is_on_host) {
    return jitnorm_primitive_attr_set_scales_v3(attr, arg, mask, ndims, group_dims, data_type, is_on_host,
                                                jitnorm_quantization_mode_static_sazp);
}

jitnorm_status_t jitnorm_primitive_attr_set_scales(jitnorm_primitive_attr_t attr, int arg, int mask, int ndims,
                                                   const jitnorm_dims_t group_dims, jitnorm_data_type_t data_type) {
    return jitnorm_primitive_attr_set_scales_v2(attr, arg, mask, ndims, group_dims, data_type, 0);
}

jitnorm_status_t jitnorm_primitive_attr_set_scales_mask(jitnorm_primitive_attr_t attr, int arg, int mask) {
    return jitnorm_primitive_attr_set_scales(attr, arg, mask, 0, nullptr, jitnorm_f32);
}

jitnorm_status_t jitnorm_primitive_attr_set_zero_points_v2(jitnorm_primitive_attr_t attr, int arg, int mask, int ndims,
                                                           const jitnorm_dims_t group_dims,
                                                           jitnorm_data_type_t data_type, int is_on_host) {
    JITNORM_REFUSE_NULL(attr);
    return guarded(__func__, [&] {
        const quantity q = {arg, mask, ndims, group_dims, data_type, is_on_host != 0};
        JITNORM_TRY(check(q, ZERO_POINT_TYPES, may_have_zero_points));
        attr->request(setting::zero_point, arg, "attr has a zero point");
        return status{};
    });
}

jitnorm_status_t jitnorm_primitive_attr_set_zero_points(jitnorm_primitive_attr_t attr, int arg, int mask, int ndims,
                                                        const jitnorm_dims_t group_dims,
                                                        jitnorm_data_type_t data_type) {
    return jitnorm_primitive_attr_set_zero_points_v2(attr, arg, mask, ndims, group_dims, data_type, 0);
}

jitnorm_status_t jitnorm_primitive_attr_set_zero_points_mask(jitnorm_primitive_attr_t attr, int arg, int mask) {
    return jitnorm_primitive_attr_set_zero_points(attr, arg, mask, 0, nullptr, jitnorm_s32);
}
