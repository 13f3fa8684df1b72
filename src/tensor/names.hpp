// SPDX-License-Identifier: Apache-2.0
// names: the text of values, spelled as benchdnn spells them; layouts by name; reasons of refusals.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory_desc.hpp"

namespace jitnorm::impl {

// ---- Layouts by name. The letters and digits of a tag's name define its layout: the order of the dimensions, their
// padding and the inner blocks are derived from the name, and no table repeats them.

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

// Writes the dimensions to `order`, the largest stride first. Dimensions of equal strides keep their order.
void order_by_strides(const dim_t *strides, int ndims, int *order);

// `name` is the name of one of named_tags(), or empty: then the rule has no dimensions.
layout_rule parse_layout(std::string_view name);

std::string_view name_of(jitnorm_data_type_t type); // "f32"
// The same for explain(): the text ends with a zero.
inline const char *text_of(jitnorm_data_type_t type) { return name_of(type).data(); }
// The refusal of a number that no type has: it lists those that there are.
status unknown_data_type(int type);
std::string_view name_of(jitnorm_prop_kind_t kind);           // "FWD_D"
std::string_view name_of(jitnorm_alg_kind_t alg);             // "gelu_erf", "add"
std::string_view name_of(jitnorm_normalization_flags_t flag); // "use_scale"; of one flag

// "128x768"
std::string join(std::span<const dim_t> values);

// The layout as the name of a tag ("aBc8b"). If no tag describes it, as the letters of the dimensions if it is dense in
// some order ("cbad"), else as strides ("1024x1").
std::string layout_name(const memory_desc &md);

// ---- Texts for reasons of refusals. Nothing here allocates or throws, because executions need reasons, too.

struct short_text {
    char text[64];
};

// "4x3x8"; a dimension that is not known yet is *; "none" without dimensions.
short_text dims_text(std::span<const dim_t> dims) noexcept;
inline short_text dims_text(const memory_desc &md) noexcept { return dims_text(dims_of(md)); }

// Names the dimension in which the tensor `name` differs from that of `other`. The result is explain()'s.
const char *explain_dims(const char *name, std::span<const dim_t> given, const char *other,
                         std::span<const dim_t> expected) noexcept;

// The reason with its subject in front: "post-op 2: unknown algorithm". It may be explain()'s, and the result is.
const char *explain_part(const char *name, const char *reason) noexcept;

} // namespace jitnorm::impl
