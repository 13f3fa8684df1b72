// SPDX-License-Identifier: Apache-2.0
// residual_addition: what is added to src before it is normalized (docs/arithmetic.md, "Residual addition").
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

struct residual_addition {
    memory_desc added; // the residual, with the dimensions of src; empty: nothing is added
    // Forward: the sum, which is an output. Backward: the gradient of the sum, which is an input. Empty: there is none.
    memory_desc sum;
    jitnorm_data_type_t bias_type = jitnorm_data_type_undef; // the bias is a dense vector of C elements; undef: no bias
    bool normalizes_rounded = false; // what is normalized is the sum as its tensor holds it, not the sum as computed

    bool operator==(const residual_addition &) const = default;
};

} // namespace jitnorm::impl
