// SPDX-License-Identifier: Apache-2.0
// data_type: Ascend's numbers for data types and formats, and their meaning for this library.
#pragma once

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::aclnn {

constexpr int ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_BF16 = 27, ACL_FLOAT8_E5M2 = 35, ACL_FLOAT8_E4M3FN = 36;

struct acl_type {
    int number;
    const char *name;                                   // Ascend's, without "ACL_"
    unsigned size;                                      // bytes of an element; 0 if it has less than one
    jitnorm_data_type_t core = jitnorm_data_type_undef; // the core's type; undef: no normalization takes it
};

// The 8-bit types that the core has are for quantized outputs only.
inline constexpr acl_type ACL_TYPES[] = {
    {ACL_FLOAT, "FLOAT", 4, jitnorm_f32},
    {ACL_FLOAT16, "FLOAT16", 2, jitnorm_f16},
    {ACL_INT8, "INT8", 1, jitnorm_s8},
    {3, "INT32", 4},
    {4, "UINT8", 1},
    {6, "INT16", 2},
    {7, "UINT16", 2},
    {8, "UINT32", 4},
    {9, "INT64", 8},
    {10, "UINT64", 8},
    {11, "DOUBLE", 8},
    {12, "BOOL", 1},
    {13, "STRING", 0},
    {16, "COMPLEX64", 8},
    {17, "COMPLEX128", 16},
    {ACL_BF16, "BF16", 2, jitnorm_bf16},
    {29, "INT4", 0},
    {30, "UINT1", 0},
    {33, "COMPLEX32", 4},
    {34, "HIFLOAT8", 1},
    {ACL_FLOAT8_E5M2, "FLOAT8_E5M2", 1, jitnorm_f8_e5m2},
    {ACL_FLOAT8_E4M3FN, "FLOAT8_E4M3FN", 1, jitnorm_f8_e4m3},
    {37, "FLOAT8_E8M0", 1},
};

constexpr acl_type find_acl_type(int number) {
    for (const acl_type &known : ACL_TYPES)
        if (known.number == number) return known;
    return {number, "of an unknown type", 0};
}

constexpr jitnorm_data_type_t core_type(int acl_number) { return find_acl_type(acl_number).core; }
constexpr const char *type_name(int acl_number) { return find_acl_type(acl_number).name; }

constexpr bool is_narrow(int acl_type) { return acl_type == ACL_FLOAT16 || acl_type == ACL_BF16; }
constexpr bool is_float(int acl_type) { return acl_type == ACL_FLOAT || is_narrow(acl_type); }

// Whether a tensor's dimensions, strides and offset say where its elements are, without inner blocks.
constexpr bool is_plain(int acl_format) {
    switch (acl_format) {
    case 0:  // NCHW
    case 1:  // NHWC
    case 2:  // ND
    case 16: // HWCN
    case 27: // NDHWC
    case 30: // NCDHW
    case 35: // NC
    case 47: // NCL
        return true;
    default:
        return false;
    }
}

} // namespace jitnorm::impl::aclnn
