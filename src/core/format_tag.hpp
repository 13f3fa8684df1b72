// SPDX-License-Identifier: Apache-2.0
// format_tag: layouts by name. The spelled name is the definition: a tag's order, padding and inner blocks are derived
// from it and stand nowhere else.
#pragma once

#include <span>
#include <string_view>

#include "memory_desc.hpp"

namespace jitnorm::impl {

struct named_tag {
    jitnorm_format_tag_t tag;
    std::string_view name; // "aBc8b"
};

// Every tag that names a layout (neither undef nor any), ordered by value.
std::span<const named_tag> named_tags();

// Empty for a value that names no layout.
std::string_view tag_name(jitnorm_format_tag_t tag);

// What a spelled name says. Dimension indices count from 0 for 'a'.
struct layout_rule {
    int ndims = 0;
    int order[MAX_NDIMS] = {}; // of the outer dimensions, outermost first
    int inner_nblks = 0;
    dim_t inner_blks[MAX_NDIMS] = {}; // outermost first
    int inner_idxs[MAX_NDIMS] = {};   // the dimension that each inner block splits
};

// Dimensions from the largest stride to the smallest; those of equal strides in their order.
void order_by_strides(const dim_t *strides, int ndims, int *order);

// `name` must be one of named_tags().
layout_rule parse_layout(std::string_view name);

} // namespace jitnorm::impl
