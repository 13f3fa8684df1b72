// SPDX-License-Identifier: Apache-2.0
// tag: names of memory layouts. A canonical tag spells the dimensions as letters ("acb", "aBc8b"); meta tags (abx, axb,
// xba, aBx8b, aby) and the usual aliases (tnc, nhwc) become canonical once the number of dimensions is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data_type.hpp"

namespace benchdnn_lite {

inline constexpr std::string_view TAG_ANY = "any", TAG_UNDEF = "undef";

// Throws input_error unless the name is one that some number of dimensions could use. Blocked tags may be restricted to
// those that the library's enumeration has.
void check_tag_name(std::string_view tag, bool enumerated_only);

// The canonical tag for `ndims` dimensions; "any" and "undef" stay. Throws input_error if the tag is for another rank.
std::string canonical_tag(std::string_view tag, size_t ndims);

// The library's enumerator for a canonical tag, if it has one.
std::optional<jitnorm_format_tag_t> enumerator_of(std::string_view canonical);

bool is_blocked(std::string_view tag);

// `dims` with each dimension filled up to whole blocks of a canonical tag.
std::vector<dim_t> padded_dims(std::string_view canonical, std::vector<dim_t> dims);

// Strides of a canonical tag without blocks.
std::vector<dim_t> strides_of(std::string_view canonical, const std::vector<dim_t> &dims);

} // namespace benchdnn_lite
