// SPDX-License-Identifier: Apache-2.0
// gate_gradients: backward of x = gated * gate + residual, followed by the normalization of x, as two problems that are
// solved one after the other (docs/arithmetic.md, "Residual addition").
//
// The first is backward as it is without a gate. Its diff_src, g, is the gradient of x and of the residual.
//
// The second is backward of gated * gate as of a normalization with a mean of 0 and a deviation of 1 that do not depend
// on src: g is its diff_dst and the gate its scale. By the formulas of backward, its diff_src is then g * gate, and its
// diff_scale the sum of g * gated over the rows that share the gate. So these gradients need no kernel, no order of
// sums and no layouts of their own. Their rows form the groups of the gate, which may differ from the groups of scale
// and shift.
#pragma once

#include "problem.hpp"

namespace jitnorm::impl::layer_norm {

// The first and the second problem. Both take a problem that has_gate_gradients().
problem without_gate(const problem &p);
problem gate_product(const problem &p);

// Their arguments, from the arguments of the whole problem.
arguments without_gate(const arguments &all);
arguments gate_product(const arguments &all);

} // namespace jitnorm::impl::layer_norm
