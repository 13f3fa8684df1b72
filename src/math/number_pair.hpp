// SPDX-License-Identifier: Apache-2.0
// number_pair: a number that is kept more exactly than its type can, as the sum of two.
#pragma once

namespace jitnorm::impl::math {

// high + low, |low| below an ulp of high
template <typename V>
struct number_pair {
    V high, low;
};

} // namespace jitnorm::impl::math
