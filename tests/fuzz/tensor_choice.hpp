// SPDX-License-Identifier: Apache-2.0
// tensor_choice: a tensor for the primitive interface as the fuzzer's bytes describe it.
#pragma once

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

// Asks a descriptor everything, clones and compares it; the answer is the clone, or the original, whichever lives on.
tests::owned_md exercised(byte_stream &choices, tests::owned_md md);

} // namespace jitnorm::fuzz
