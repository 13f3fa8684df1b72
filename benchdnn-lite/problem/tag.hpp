// SPDX-License-Identifier: Apache-2.0
// tag: names of memory layouts. A canonical tag has a letter for each dimension ("acb", "aBc8b"). Meta tags (abx, axb,
// xba, aBx8b, aby) and aliases (tnc, nhwc) can be made canonical when the number of dimensions is known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data_type.hpp"

namespace benchdnn_lite {

inline constexpr std::string_view TAG_ANY = "any", TAG_UNDEF = "undef";

// Throws input_error unless the tag is valid for some number of dimensions. enumerated_only: a blocked tag must also
// have an enumerator of the library.
void check_tag_name(std::string_view tag, bool enumerated_only);
std::string parse_tag(std::string_view tag); // the tag, if check_tag_name(tag, false) accepts it

// The canonical tag for `ndims` dimensions; "any" and "undef" stay as they are. Throws input_error if the tag is for
// another number of dimensions.
std::string canonical_tag(std::string_view tag, size_t ndims);

// The library's enumerator for a canonical tag, if it has one.
std::optional<jitnorm_format_tag_t> enumerator_of(std::string_view canonical);

bool is_blocked(std::string_view tag);

// `dims`, each rounded up to whole blocks of a canonical tag.
std::vector<dim_t> padded_dims(std::string_view canonical, std::vector<dim_t> dims);

// The strides of a canonical tag without blocks, in elements.
std::vector<dim_t> strides_of(std::string_view canonical, const std::vector<dim_t> &dims);

} // namespace benchdnn_lite
