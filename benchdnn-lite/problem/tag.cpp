// SPDX-License-Identifier: Apache-2.0
// Reads names of memory layouts.
#include "tag.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "../error.hpp"
#include "jitnorm/jitnorm_debug.h"

namespace benchdnn_lite {

namespace {

struct alias {
    std::string_view name, canonical;
};

constexpr alias ALIASES[] = {
#define FORMAT_TAG(name, number)
#define FORMAT_TAG_ALIAS(name, tag) {#name, #tag},
#include "../../tables/format_tags.inc"
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_dimension(char c) {
    return (c >= 'a' && c < 'a' + JITNORM_MAX_NDIMS) || (c >= 'A' && c < 'A' + JITNORM_MAX_NDIMS);
}
char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

// "aBx8b" -> "aBx" and "8b"
std::pair<std::string, std::string> split_blocks(std::string_view tag) {
    const auto digit = std::find_if(tag.begin(), tag.end(), is_digit);
    return {std::string(tag.begin(), digit), std::string(digit, tag.end())};
}

// The letters that x stands for: those of all dimensions below ndims that `outer` does not name.
std::string unnamed_dimensions(std::string_view outer, size_t ndims) {
    std::string letters;
    for (size_t d = 0; d < ndims; ++d) {
        const char letter = char('a' + d);
        if (std::none_of(outer.begin(), outer.end(), [&](char c) { return lower(c) == letter; })) letters += letter;
    }
    return letters;
}

// Replaces x and y by letters. Letters of dimensions that the shape does not have are dropped: abx of one dimension is
// a. y stands for the same letters as x, and in the end the last two dimensions are exchanged.
std::string expand_meta(std::string_view tag, size_t ndims) {
    const auto [outer, blocks] = split_blocks(tag);
    std::string expanded;
    for (const char c : outer) {
        if (c == 'x' || c == 'y')
            expanded += unnamed_dimensions(outer, ndims);
        else if (size_t(lower(c) - 'a') < ndims)
            expanded += c;
    }
    if (outer.find('y') != outer.npos && expanded.size() > 1) std::swap(expanded.rbegin()[0], expanded.rbegin()[1]);
    return expanded + blocks;
}

// Whether the text has each of the first n letters exactly once, in upper or lower case, for some n > 0.
bool is_permutation_of_dimensions(std::string letters) {
    std::transform(letters.begin(), letters.end(), letters.begin(), lower);
    std::sort(letters.begin(), letters.end());
    for (size_t d = 0; d < letters.size(); ++d)
        if (letters[d] != char('a' + d)) return false;
    return !letters.empty() && letters.size() <= JITNORM_MAX_NDIMS;
}

std::string resolve_alias(std::string_view tag) {
    const alias *known = find_named(ALIASES, tag);
    return std::string(known ? known->canonical : tag);
}

bool is_special(std::string_view tag) { return tag == TAG_ANY || tag == TAG_UNDEF; }
bool is_meta(std::string_view tag) { return tag.find_first_of("xy") != tag.npos; }

struct tag_block {
    size_t dim;
    dim_t size;
};

// Reads "16b8a": a block of 16 of b, in it a block of 8 of a. The result is empty if the text is malformed.
std::vector<tag_block> parse_blocks(std::string_view text) {
    constexpr dim_t LARGEST = 4096;
    std::vector<tag_block> blocks;
    dim_t size = 0;
    for (const char c : text) {
        if (is_digit(c)) {
            size = std::min(size * 10 + (c - '0'), LARGEST + 1);
        } else {
            if (size < 2 || size > LARGEST || !is_dimension(c) || c != lower(c)) return {};
            blocks.push_back({size_t(c - 'a'), size});
            size = 0;
        }
    }
    return size == 0 ? blocks : std::vector<tag_block>{};
}

// Whether exactly the dimensions in capitals have blocks.
bool blocks_fit(std::string_view outer, const std::vector<tag_block> &blocks) {
    return !blocks.empty() && std::all_of(outer.begin(), outer.end(), [&](char c) {
        const size_t dim = size_t(lower(c) - 'a');
        const bool has_block = std::any_of(blocks.begin(), blocks.end(), [&](tag_block b) { return b.dim == dim; });
        return has_block == (c != lower(c));
    }) && std::all_of(blocks.begin(), blocks.end(), [&](tag_block b) { return b.dim < outer.size(); });
}

bool is_known(const std::string &tag, bool enumerated_only) {
    const auto [outer, blocks] = split_blocks(tag);
    if (!is_permutation_of_dimensions(outer)) return false;
    if (blocks.empty()) return std::none_of(outer.begin(), outer.end(), [](char c) { return c != lower(c); });
    return blocks_fit(outer, parse_blocks(blocks)) && (!enumerated_only || enumerator_of(tag));
}

[[noreturn]] void reject(std::string_view tag, std::string_view why) { throw input_error("tag '", tag, "' ", why); }

[[noreturn]] void reject_unknown(std::string_view tag) {
    std::vector<std::string> known = names_in(ALIASES);
    known.insert(known.end(), {"abx", "axb", "xba", "aby", "any", "undef"});
    if (is_blocked(tag)) known.clear(); // they are like no name
    reject(tag, concat("is not known", closest_text(tag, known,
                                                    "; known: abx axb xba aby any undef, names such as nc and nchw, "
                                                    "letters such as acb and aBc8b")));
}

} // namespace

bool is_blocked(std::string_view tag) { return std::any_of(tag.begin(), tag.end(), is_digit); }

void check_tag_name(std::string_view tag, bool enumerated_only) {
    constexpr size_t LONGEST = 64;
    if (tag.size() > LONGEST) reject(tag.substr(0, LONGEST), "... is too long");
    const std::string resolved = resolve_alias(tag);
    if (is_special(resolved)) return;
    const auto letters = [](char c) { return c == 'x' || c == 'y' || is_digit(c) || is_dimension(c); };
    const auto is_known_for_some_rank = [&](bool enumerated) {
        if (!is_meta(resolved)) return is_known(resolved, enumerated);
        for (size_t ndims = 1; ndims <= JITNORM_MAX_NDIMS; ++ndims)
            if (is_known(expand_meta(resolved, ndims), enumerated)) return true;
        return false;
    };
    const bool many_rests = std::count_if(resolved.begin(), resolved.end(), [](char c) { return c >= 'x'; }) > 1;
    if (many_rests || !std::all_of(resolved.begin(), resolved.end(), letters) || !is_known_for_some_rank(false))
        reject_unknown(tag);
    if (enumerated_only && !is_known_for_some_rank(true))
        reject(tag, "is not one that the library names (--allow-enum-tags-only=false takes it)");
}

std::string parse_tag(std::string_view tag) {
    check_tag_name(tag, false);
    return std::string(tag);
}

std::string canonical_tag(std::string_view tag, size_t ndims) {
    const std::string resolved = resolve_alias(tag);
    if (is_special(resolved)) return resolved;
    const std::string canonical = is_meta(resolved) ? expand_meta(resolved, ndims) : resolved;
    if (split_blocks(canonical).first.size() != ndims || !is_known(canonical, false))
        reject(tag, concat("does not fit ", std::to_string(ndims), ndims == 1 ? " dimension" : " dimensions", ", as '",
                           std::string_view("abcdefghijkl").substr(0, ndims), "' does"));
    return canonical;
}

std::optional<jitnorm_format_tag_t> enumerator_of(std::string_view canonical) {
    for (int tag = jitnorm_format_tag_any + 1; tag < jitnorm_format_tag_last; ++tag)
        if (jitnorm_fmt_tag2str(jitnorm_format_tag_t(tag)) == canonical) return jitnorm_format_tag_t(tag);
    return std::nullopt;
}

std::vector<dim_t> padded_dims(std::string_view canonical, std::vector<dim_t> dims) {
    std::vector<dim_t> tile(dims.size(), 1);
    for (const tag_block &b : parse_blocks(split_blocks(canonical).second)) tile[b.dim] *= b.size;
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = (dims[d] + tile[d] - 1) / tile[d] * tile[d];
    return dims;
}

std::vector<dim_t> strides_of(std::string_view canonical, const std::vector<dim_t> &dims) {
    constexpr dim_t LARGEST = std::numeric_limits<dim_t>::max();
    std::vector<dim_t> strides(dims.size());
    dim_t stride = 1;
    for (auto letter = canonical.rbegin(); letter != canonical.rend(); ++letter) {
        const size_t d = size_t(*letter - 'a');
        strides[d] = stride;
        if (__builtin_mul_overflow(stride, std::max<dim_t>(dims[d], 1), &stride))
            stride = LARGEST; // the library refuses such a tensor as too large
    }
    return strides;
}

} // namespace benchdnn_lite
