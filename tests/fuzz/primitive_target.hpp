// SPDX-License-Identifier: Apache-2.0
// primitive_target: a request for a primitive descriptor as the fuzzer's bytes describe it (primitive_choice.cpp), and
// a check of an execution by the formulas (primitive_check.cpp).
#pragma once

#include <map>

#include "check.hpp"
#include "hostile_sizes.hpp"
#include "run_one.hpp"
#include "support/jitnorm_handle.hpp"

namespace jitnorm::fuzz {

// The common properties of a problem's tensors.
struct tensor_rules {
    sizes dims;
    unsigned runtime_dims = 0; // a bit for each dimension that is left to the execution
    bool may_be_any = true;    // undecided layouts
};

struct tensor_choice {
    jitnorm_data_type_t type = jitnorm_f32;
    jitnorm_format_tag_t tag = jitnorm_format_tag_undef; // undef: the strides say it
    bool null_strides = false;                           // row major
    int ndims = 0;
    sizes dims, strides;             // as an execution has them
    sizes asked_dims, asked_strides; // with JITNORM_RUNTIME_DIM_VAL

    tests::owned_md asked() const { return make(asked_dims, asked_strides, tag); } // null where refused
    tests::owned_md actual() const;

private:
    tests::owned_md make(const sizes &with_dims, const sizes &with_strides, jitnorm_format_tag_t with_tag) const;
};

jitnorm_data_type_t choose_type(byte_stream &choices, bool forward);
tensor_choice choose_tensor(byte_stream &choices, const tensor_rules &rules, jitnorm_data_type_t type);

inline tests::owned_md clone_of(const_jitnorm_memory_desc_t md) {
    return tests::make_owned<tests::owned_md>("a descriptor can be cloned", jitnorm_memory_desc_clone, md);
}

// Asks a descriptor everything, clones and compares it; the answer is the clone, or the original, whichever lives on.
tests::owned_md exercised(byte_stream &choices, tests::owned_md md);

struct primitive_choice {
    jitnorm_prop_kind_t kind = jitnorm_forward_inference;
    unsigned flags = 0;
    float epsilon = 0;
    jitnorm_data_type_t scale_shift_type = jitnorm_f32, diff_scale_shift_type = jitnorm_f32;
    bool statistics_are_given = false;
    // By JITNORM_ARG_*, for both directions: all that an execution may have, but for scales of src and dst.
    std::map<int, tensor_choice> tensors;

    bool is_forward() const { return kind == jitnorm_forward_training || kind == jitnorm_forward_inference; }
    // The sizes that an execution has for the argument, where the primitive descriptor left some open; may be null.
    tests::owned_md actual(int argument, jitnorm_data_type_t type) const;
};

// Reads the choices of a whole request and makes it. The result is null where it was refused, with a documented status.
// `what` is filled in either way. All descriptors and attributes of the request are destroyed when this returns.
tests::owned_pd request(byte_stream &choices, primitive_choice &what);

struct dense_tensor {
    layout where;
    const unsigned char *data = nullptr;
    numbers values;
};

// By JITNORM_ARG_*: the arguments before the execution, and its results. The pointers are to the former.
void check_primitive(const primitive_choice &what, const_jitnorm_primitive_desc_t pd,
                     const std::map<int, dense_tensor> &inputs, const std::map<int, dense_tensor> &outputs);

} // namespace jitnorm::fuzz
