// SPDX-License-Identifier: Apache-2.0
// aclnn_target: the tensors and arrays of a two-phase call as the fuzzer's bytes describe them (aclnn_choice.cpp), and
// a check of the second call by the formulas (aclnn_check.cpp).
#pragma once

#include "aclnn/operations.hpp"
#include "check.hpp"
#include "hostile_sizes.hpp"
#include "problem/buffer.hpp"
#include "run_one.hpp"

namespace jitnorm::fuzz {

struct acl_tensor_choice {
    bool exists = true;
    sizes dims, strides;
    bool null_strides = false;
    int type = ACL_FLOAT, format = ACL_FORMAT_ND;
    int64_t offset = 0;

    tests::acl_owned<aclTensor> at(void *data) const; // null where it does not exist, or is refused
    // From `data` to the end of the last element; nothing where that is too much, or negative, to be worth executing.
    bool find_bytes(size_t &bytes) const;
    jitnorm_data_type_t core_type() const { return tests::data_type_of(aclDataType(type)); }
    benchdnn_lite::layout where() const; // of a tensor that was not refused
};

struct aclnn_choice {
    const tests::operation *op = nullptr;
    std::vector<tests::parameter> parameters; // of the operation, as they should be
    std::vector<acl_tensor_choice> tensors;   // one for each
    sizes normalized_shape;
    tests::call_settings with;

    // Whether parameter i is an output, also one that no call writes.
    bool is_output(size_t i) const { return parameters[i].use == '>' || parameters[i].use == '!'; }
};

aclnn_choice choose_aclnn(byte_stream &choices);

// The elements of each tensor before and after, in the order of the operation's parameters. Empty: there is no tensor.
void check_call(const aclnn_choice &what, const std::vector<numbers> &before, const std::vector<numbers> &after);

} // namespace jitnorm::fuzz
