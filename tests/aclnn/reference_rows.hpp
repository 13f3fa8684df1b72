// SPDX-License-Identifier: Apache-2.0
// reference_rows: the judge of these calls: the bits that the reference gives for dense rows of the same values.
#pragma once

#include "acl_tensor.hpp"
#include "rig/equality.hpp"

namespace jitnorm::tests {

using placed = std::vector<std::pair<slot, const acl_tensor *>>;

// Runs the problem on the inputs' values, and compares the outputs. What the problem does not use is not looked at.
inline void expect_reference(const setup &s, double epsilon, const placed &inputs, const placed &outputs) {
    run r(s);
    r.p.epsilon = double(float(epsilon));
    for (const auto &[input, t] : inputs)
        if (r.p.reads(input)) r[input].fill(t->values());
    r.execute();
    for (const auto &[output, t] : outputs) {
        if (!r.p.writes(output)) continue;
        EXPECT_TRUE(same_bits(t->values(), r[output].values()))
            << impl::layer_norm::tensor_name(output) << " of " << describe(r.p);
        EXPECT_TRUE(t->gaps_are_untouched()) << impl::layer_norm::tensor_name(output);
    }
}

} // namespace jitnorm::tests
