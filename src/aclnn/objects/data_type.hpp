// SPDX-License-Identifier: Apache-2.0
// data_type: Ascend's numbers for data types and formats, and their meaning for this library.
#pragma once

#include <cstddef>

#include "jitnorm/jitnorm_types.h"

namespace jitnorm::impl::aclnn {

constexpr int ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT8 = 2, ACL_BF16 = 27, ACL_FLOAT8_E5M2 = 35, ACL_FLOAT8_E4M3FN = 36;

// The core's type for Ascend's; undef for a type that no normalization takes.
constexpr jitnorm_data_type_t core_type(int acl_type) {
    switch (acl_type) {
    case ACL_FLOAT:
        return jitnorm_f32;
    case ACL_FLOAT16:
        return jitnorm_f16;
    case ACL_BF16:
        return jitnorm_bf16;
    case ACL_INT8: // this type and the two 8-bit floats are only for quantized outputs
        return jitnorm_s8;
    case ACL_FLOAT8_E5M2:
        return jitnorm_f8_e5m2;
    case ACL_FLOAT8_E4M3FN:
        return jitnorm_f8_e4m3;
    default:
        return jitnorm_data_type_undef;
    }
}

// Ascend's name for its type, without "ACL_".
constexpr const char *type_name(int acl_type) {
    constexpr struct {
        int type;
        const char *name;
    } NAMES[] = {{0, "FLOAT"},        {1, "FLOAT16"},        {2, "INT8"},        {3, "INT32"},      {4, "UINT8"},
                 {6, "INT16"},        {7, "UINT16"},         {8, "UINT32"},      {9, "INT64"},      {10, "UINT64"},
                 {11, "DOUBLE"},      {12, "BOOL"},          {13, "STRING"},     {16, "COMPLEX64"}, {17, "COMPLEX128"},
                 {27, "BF16"},        {29, "INT4"},          {30, "UINT1"},      {33, "COMPLEX32"}, {34, "HIFLOAT8"},
                 {35, "FLOAT8_E5M2"}, {36, "FLOAT8_E4M3FN"}, {37, "FLOAT8_E8M0"}};
    for (const auto &known : NAMES)
        if (known.type == acl_type) return known.name;
    return "of an unknown type";
}

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

// The bytes of an element; 0 for a number that is no type, and for types with elements of less than a byte.
constexpr size_t size_of_acl_type(int acl_type) {
    switch (acl_type) {
    case 2:  // INT8
    case 4:  // UINT8
    case 12: // BOOL
    case 34: // HIFLOAT8
    case 35: // FLOAT8_E5M2
    case 36: // FLOAT8_E4M3FN
    case 37: // FLOAT8_E8M0
        return 1;
    case 1:  // FLOAT16
    case 6:  // INT16
    case 7:  // UINT16
    case 27: // BF16
        return 2;
    case 0:  // FLOAT
    case 3:  // INT32
    case 8:  // UINT32
    case 33: // COMPLEX32
        return 4;
    case 9:  // INT64
    case 10: // UINT64
    case 11: // DOUBLE
    case 16: // COMPLEX64
        return 8;
    case 17: // COMPLEX128
        return 16;
    default:
        return 0;
    }
}

} // namespace jitnorm::impl::aclnn
