// SPDX-License-Identifier: Apache-2.0
// panel_places: the indices of the strips in the panels that row sources open for forward.
#pragma once

#include <cstddef>

namespace jitnorm::impl::layer_norm {

// X: the rows to normalize, those of src or of its sum with a residual. Y: dst. Z: the pre-quantization output, if
// there is one. TERMS and TERMS + 1: the two terms of a sum, src and residual.
constexpr size_t X = 0, Y = 1, Z = 2, TERMS = 3;

} // namespace jitnorm::impl::layer_norm
