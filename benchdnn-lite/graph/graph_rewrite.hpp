// SPDX-License-Identifier: Apache-2.0
// graph_rewrite: --in-shapes, --op-attrs, --dt and --attr-fpmath, which change a graph before it runs, in benchdnn's
// syntax. An empty text changes nothing. All throw input_error.
#pragma once

#include <string_view>

#include "graph_case.hpp"

namespace benchdnn_lite {

// ID:VALUE[+ID:VALUE...]. A VALUE is SHAPE, SHAPE*LAYOUT, *LAYOUT or a tag alone. A SHAPE is like 2x3x4; scalar and -
// both mean no dimensions. A LAYOUT is a tag (acb) or strides (12x1x3). Shapes of tensors that operations write are
// inferred, unless they are named.
void rewrite_shapes(graph_case &graph, std::string_view text);

// OP:NAME:VALUE[*NAME:VALUE...][+OP:...]. The value undef removes the attribute. Outputs that attributes switch off are
// removed, too, and shapes of tensors that operations write are inferred.
void rewrite_attributes(graph_case &graph, std::string_view text);

// TYPE or ID:TYPE[+ID:TYPE...]. A TYPE alone is f32, bf16, f16, or undef for no change. It is for the data of every
// operation: src, dst and their gradients, and all tensors of operations that are no normalization, except for TypeCast
// and Quantize. ID:TYPE is for a single tensor.
void rewrite_types(graph_case &graph, std::string_view text);

// A floating-point mode. :true or :false may follow, which says whether the mode is for integers, too.
void rewrite_fpmath(graph_case &graph, std::string_view text);

} // namespace benchdnn_lite
