// SPDX-License-Identifier: Apache-2.0
// residual_addition: what is added to src before it is normalized (docs/arithmetic.md, "Residual addition").
#pragma once

#include "memory_desc.hpp"

namespace jitnorm::impl {

struct residual_addition {
    memory_desc added; // the residual, of src's dimensions; without dimensions nothing is added
    // The sum, an output of forward; backward reads its gradient, described so. Without dimensions there is none.
    memory_desc sum;
    jitnorm_data_type_t bias_type = jitnorm_data_type_undef; // of C elements, dense; undef: there is no bias
    bool normalizes_rounded = false;                         // the sum as its tensor has it, and not as computed

    bool operator==(const residual_addition &) const = default;
};

} // namespace jitnorm::impl
