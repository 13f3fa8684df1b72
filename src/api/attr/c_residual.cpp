// SPDX-License-Identifier: Apache-2.0
// C interface: the residual addition and the pre-quantization output of attributes.
#include "attr.hpp"
#include "jitnorm/jitnorm_attr.h"

using namespace jitnorm::impl;
using namespace jitnorm::impl::api;

namespace {

status check(const residual_addition &asked, unsigned flags) {
    if (asked.added.ndims == 0) return invalid("residual_desc has no dimensions");
    if (asked.bias_type != jitnorm_data_type_undef && size_of(asked.bias_type) == 0)
        return invalid(explain("bias_data_type is %d, which is no data type", int(asked.bias_type)));
    if ((flags & ~unsigned(jitnorm_residual_normalize_rounded)) != 0)
        return invalid(explain("flags 0x%x has bits of no meaning", flags));
    return asked.normalizes_rounded && asked.sum.ndims == 0
               ? invalid("the rounded sum is to be normalized, and sum_desc describes none")
               : status{};
}

} // namespace

jitnorm_status_t jitnorm_primitive_attr_set_residual(jitnorm_primitive_attr_t attr,
                                                     const_jitnorm_memory_desc_t residual_desc,
                                                     const_jitnorm_memory_desc_t sum_desc,
                                                     jitnorm_data_type_t bias_data_type, unsigned flags) {
    if (any_null(attr, residual_desc)) return report(__func__, JITNORM_NULL_AMONG(attr, residual_desc));
    residual_addition asked;
    asked.added = *residual_desc;
    if (sum_desc != nullptr) asked.sum = *sum_desc;
    asked.bias_type = bias_data_type;
    asked.normalizes_rounded = (flags & unsigned(jitnorm_residual_normalize_rounded)) != 0;
    const status v = check(asked, flags);
    if (v.code == jitnorm_success) attr->residual = asked;
    return report(__func__, v);
}

jitnorm_status_t jitnorm_primitive_attr_get_residual(const_jitnorm_primitive_attr_t attr,
                                                     const_jitnorm_memory_desc_t *residual_desc,
                                                     const_jitnorm_memory_desc_t *sum_desc,
                                                     jitnorm_data_type_t *bias_data_type, unsigned *flags) {
    if (any_null(attr)) return report(__func__, JITNORM_NULL_AMONG(attr));
    const residual_addition &residual = attr->residual;
    if (residual_desc != nullptr) *residual_desc = &residual.added;
    if (sum_desc != nullptr) *sum_desc = &residual.sum;
    if (bias_data_type != nullptr) *bias_data_type = residual.bias_type;
    if (flags != nullptr)
        *flags =
            unsigned(residual.normalizes_rounded ? jitnorm_residual_normalize_rounded : jitnorm_residual_flags_none);
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_set_pre_quantization_dst(jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t pre_quantization_desc) {
    if (any_null(attr)) return report(__func__, JITNORM_NULL_AMONG(attr));
    attr->pre_quantization = pre_quantization_desc != nullptr ? *pre_quantization_desc : memory_desc();
    return jitnorm_success;
}

jitnorm_status_t jitnorm_primitive_attr_get_pre_quantization_dst(const_jitnorm_primitive_attr_t attr,
                                                                 const_jitnorm_memory_desc_t *pre_quantization_desc) {
    if (any_null(attr, pre_quantization_desc)) return report(__func__, JITNORM_NULL_AMONG(attr, pre_quantization_desc));
    *pre_quantization_desc = &attr->pre_quantization;
    return jitnorm_success;
}
