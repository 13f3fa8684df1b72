// SPDX-License-Identifier: Apache-2.0
// primitive_choice: a request for a primitive descriptor as the fuzzer's bytes describe it.
#pragma once

#include <map>

#include "tensor_choice.hpp"

namespace jitnorm::fuzz {

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

} // namespace jitnorm::fuzz
