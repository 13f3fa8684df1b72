// SPDX-License-Identifier: Apache-2.0
// aclnn_choice: the tensors and arrays of a two-phase call as the fuzzer's bytes describe them.
#pragma once

#include "hostile_sizes.hpp"
#include "jitnorm/jitnorm_aclnn.h"
#include "problem/buffer.hpp"
#include "rig/jitnorm_handle.hpp"
#include "run_one.hpp"

namespace jitnorm::fuzz {

using acl_tensor = tests::owned<aclTensor *, jitnorm_acl_tensor_destroy>;
using acl_int_array = tests::owned<aclIntArray *, jitnorm_acl_int_array_destroy>;
using acl_bool_array = tests::owned<aclBoolArray *, jitnorm_acl_bool_array_destroy>;

struct acl_tensor_choice {
    bool exists = true;
    sizes dims, strides;
    bool null_strides = false;
    int type = 0, format = 2; // Ascend's numbers
    int64_t offset = 0;
    uint64_t ndims = 0;
    bool is_output = false;

    acl_tensor at(void *data) const; // null where it does not exist, or is refused
    // From `data` to the end of the last element; nothing where that is too much, or negative, to be worth executing.
    bool find_bytes(size_t &bytes) const;
    jitnorm_data_type_t core_type() const;
    benchdnn_lite::layout where() const; // of a tensor that was not refused
};

enum class aclnn_operation {
    layer_norm,
    layer_norm_backward,
    rms_norm,
    gemma_rms_norm,
    rms_norm_grad,
    add_rms_norm,
    add_layer_norm,
    rms_norm_dynamic_quant,
    add_rms_norm_dynamic_quant,
    COUNT
};

struct aclnn_choice {
    aclnn_operation op = aclnn_operation::layer_norm;
    std::vector<acl_tensor_choice> tensors;          // in the order of the operation's parameters
    std::vector<std::pair<size_t, size_t>> in_place; // which input may lie where an output does
    double epsilon = 1e-5;
    // Of some operations only.
    sizes normalized_shape;
    std::vector<uint8_t> output_mask;
    int64_t dst_type = 2;
    bool additional_output = true;
};

aclnn_choice choose_aclnn(byte_stream &choices);

} // namespace jitnorm::fuzz
