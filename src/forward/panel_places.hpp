// SPDX-License-Identifier: Apache-2.0
// panel_places: which strip of a panel is what, as every row source shows panels to forward.
#pragma once

#include <cstddef>

namespace jitnorm::impl::layer_norm {

// X: what is normalized, src or its sum with a residual. Y: dst. Z: unquantized rows, where there are any. Behind them
// the two terms of a sum, src and residual.
constexpr size_t X = 0, Y = 1, Z = 2, TERMS = 3;

} // namespace jitnorm::impl::layer_norm
