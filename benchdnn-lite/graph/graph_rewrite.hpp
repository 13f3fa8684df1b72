// SPDX-License-Identifier: Apache-2.0
// graph_rewrite: --in-shapes, --op-attrs, --dt and --attr-fpmath, which change a graph before it runs, in benchdnn's
// syntax. An empty text changes nothing. All throw input_error.
#pragma once

#include <string_view>

#include "graph_case.hpp"

namespace benchdnn_lite {

// ID:VALUE[+ID:VALUE...], a VALUE being SHAPE, SHAPE*LAYOUT, *LAYOUT or a tag alone; a SHAPE 2x3x4, scalar or -, which
// is the same, a LAYOUT a tag (acb) or strides (12x1x3). Tensors that operations write and that are not named are
// inferred.
void rewrite_shapes(graph_case &graph, std::string_view text);

// OP:NAME:VALUE[*NAME:VALUE...][+OP:...]; the value undef takes the attribute away. Outputs that attributes switch off
// go too, and the tensors that operations write are inferred.
void rewrite_attributes(graph_case &graph, std::string_view text);

// TYPE, for the data of every operation (src, dst and their gradients; all tensors of those behind a normalization, but
// for TypeCast and Quantize; f32, bf16, f16, or undef for no change), or
// ID:TYPE[+ID:TYPE...] for single tensors.
void rewrite_types(graph_case &graph, std::string_view text);

// A floating-point mode, perhaps with :true or :false, whether it is for integers too.
void rewrite_fpmath(graph_case &graph, std::string_view text);

} // namespace benchdnn_lite
