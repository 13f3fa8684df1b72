// SPDX-License-Identifier: Apache-2.0
// format_tag: layouts by name. The letters and digits of a tag's name define its layout: the order of the dimensions,
// their padding and the inner blocks are derived from the name, and no table repeats them.
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

// The name of a tag; empty for a value that names no layout.
std::string_view tag_name(jitnorm_format_tag_t tag);

// A tag's name, parsed. Dimensions are numbered from 0, which is 'a'.
struct layout_rule {
    int ndims = 0;
    int order[MAX_NDIMS] = {}; // the outer dimensions, outermost first
    int inner_nblks = 0;
    dim_t inner_blks[MAX_NDIMS] = {}; // sizes of the inner blocks, outermost first
    int inner_idxs[MAX_NDIMS] = {};   // the dimension that each inner block splits
};

// Writes the dimensions to `order`, from the largest stride to the smallest. Dimensions of equal strides keep their
// order.
void order_by_strides(const dim_t *strides, int ndims, int *order);

// `name` is the name of one of named_tags(), or empty: then the rule has no dimensions.
layout_rule parse_layout(std::string_view name);

} // namespace jitnorm::impl
