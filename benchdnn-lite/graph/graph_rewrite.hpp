// SPDX-License-Identifier: Apache-2.0
// graph_rewrite: --in-shapes and --op-attrs, which change a graph before it runs, in benchdnn's syntax.
#pragma once

#include <string_view>

#include "graph_case.hpp"

namespace benchdnn_lite {

// ID:VALUE[+ID:VALUE...], a VALUE being SHAPE, SHAPE*LAYOUT or *LAYOUT; a SHAPE 2x3x4 or scalar, a LAYOUT a tag (acb)
// or strides (12x1x3). Tensors that operations write and that are not named are inferred. An empty text changes
// nothing. Throws input_error.
void rewrite_shapes(graph_case &graph, std::string_view text);

// OP:NAME:VALUE[*NAME:VALUE...][+OP:...]; the value undef takes the attribute away. Outputs that attributes switch off
// go too, and the tensors that operations write are inferred.
void rewrite_attributes(graph_case &graph, std::string_view text);

} // namespace benchdnn_lite
