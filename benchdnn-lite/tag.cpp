// SPDX-License-Identifier: Apache-2.0
// Names of memory layouts.
#include "tag.hpp"

#include <algorithm>
#include <cctype>

#include "error.hpp"

namespace benchdnn_lite {

namespace {

struct named_tag {
    std::string_view name;
    jitnorm_format_tag_t tag;
};

#define TAG(name)                                                                                                      \
    { #name, jitnorm_##name }
constexpr named_tag ENUMERATORS[] = {
    TAG(a),         TAG(ab),       TAG(ba),          TAG(abc),      TAG(acb),        TAG(bac),        TAG(bca),
    TAG(cab),       TAG(cba),      TAG(abcd),        TAG(abdc),     TAG(acbd),       TAG(acdb),       TAG(adbc),
    TAG(bacd),      TAG(bcda),     TAG(cdab),        TAG(cdba),     TAG(dabc),       TAG(dcab),       TAG(dcba),
    TAG(abcde),     TAG(abced),    TAG(abdec),       TAG(acbde),    TAG(acdeb),      TAG(bacde),      TAG(bcdea),
    TAG(cdeba),     TAG(decab),    TAG(eabcd),       TAG(edcba),    TAG(Ab4a),       TAG(Ab8a),       TAG(Ab16a),
    TAG(aB4b),      TAG(aB8b),     TAG(aB16b),       TAG(AB8b8a),   TAG(AB16b16a),   TAG(AB16b32a),   TAG(AB16b48a),
    TAG(AB16b64a),  TAG(AB48a16b), TAG(AB8a8b),      TAG(AB16a16b), TAG(BA16a16b),   TAG(BA16a32b),   TAG(BA16a48b),
    TAG(BA16a64b),  TAG(aBc4b),    TAG(aBc8b),       TAG(aBc16b),   TAG(aBC8b8c),    TAG(aBC16b16c),  TAG(ABc16a16b),
    TAG(ABc16b16a), TAG(aBcd4b),   TAG(aBcd8b),      TAG(aBcd16b),  TAG(ABcd16a16b), TAG(ABcd16b16a), TAG(aBcde4b),
    TAG(aBcde8b),   TAG(aBcde16b), TAG(ABcde16a16b),
};
#undef TAG

struct alias {
    std::string_view name, canonical;
};

constexpr alias ALIASES[] = {
    {"x", "a"},       {"nc", "ab"},     {"cn", "ba"},     {"tn", "ab"},       {"nt", "ba"},
    {"ncw", "abc"},   {"nwc", "acb"},   {"tnc", "abc"},   {"ntc", "bac"},     {"nchw", "abcd"},
    {"nhwc", "acdb"}, {"chwn", "bcda"}, {"ldnc", "abcd"}, {"ncdhw", "abcde"}, {"ndhwc", "acdeb"},
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_dimension(char c) {
    return (c >= 'a' && c < 'a' + JITNORM_MAX_NDIMS) || (c >= 'A' && c < 'A' + JITNORM_MAX_NDIMS);
}
char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

bool is_blocked(std::string_view tag) { return std::any_of(tag.begin(), tag.end(), is_digit); }

// "aBx8b" -> "aBx" and "8b"
std::pair<std::string, std::string> split_blocks(std::string_view tag) {
    const auto digit = std::find_if(tag.begin(), tag.end(), is_digit);
    return {std::string(tag.begin(), digit), std::string(digit, tag.end())};
}

// The letters that x stands for: every dimension below ndims that `outer` does not name itself.
std::string unnamed_dimensions(std::string_view outer, size_t ndims) {
    std::string letters;
    for (size_t d = 0; d < ndims; ++d) {
        const char letter = char('a' + d);
        if (std::none_of(outer.begin(), outer.end(), [&](char c) { return lower(c) == letter; })) letters += letter;
    }
    return letters;
}

// Plain meta tags drop the letters that a short shape does not have: abx of one dimension is a.
std::string expand_meta(std::string_view tag, size_t ndims) {
    const auto [outer, blocks] = split_blocks(tag);
    std::string expanded;
    for (const char c : outer) {
        if (c == 'x')
            expanded += unnamed_dimensions(outer, ndims);
        else if (size_t(lower(c) - 'a') < ndims)
            expanded += c;
    }
    return expanded + blocks;
}

// Each of the first n letters exactly once, n > 0.
bool is_permutation_of_dimensions(std::string letters) {
    std::transform(letters.begin(), letters.end(), letters.begin(), lower);
    std::sort(letters.begin(), letters.end());
    for (size_t d = 0; d < letters.size(); ++d)
        if (letters[d] != char('a' + d)) return false;
    return !letters.empty() && letters.size() <= JITNORM_MAX_NDIMS;
}

std::string resolve_alias(std::string_view tag) {
    for (const alias &a : ALIASES)
        if (a.name == tag) return std::string(a.canonical);
    return std::string(tag);
}

bool is_special(std::string_view tag) { return tag == TAG_ANY || tag == TAG_UNDEF; }
bool is_meta(std::string_view tag) { return tag.find('x') != tag.npos; }

bool is_known(const std::string &tag) {
    return is_blocked(tag) ? enumerator_of(tag).has_value()
                           : is_permutation_of_dimensions(tag) && std::none_of(tag.begin(), tag.end(), ::isupper);
}

[[noreturn]] void reject(std::string_view tag, std::string_view why) { throw input_error("tag '", tag, "' ", why); }

} // namespace

void check_tag_name(std::string_view tag) {
    const std::string resolved = resolve_alias(tag);
    if (is_special(resolved)) return;
    bool known = false;
    if (is_meta(resolved)) {
        const bool letters = std::all_of(resolved.begin(), resolved.end(),
                                         [](char c) { return c == 'x' || is_digit(c) || is_dimension(c); });
        for (size_t ndims = 1; letters && ndims <= JITNORM_MAX_NDIMS; ++ndims)
            known = known || is_known(expand_meta(resolved, ndims));
    } else {
        known = is_known(resolved);
    }
    if (!known) reject(tag, "is not known");
}

std::string canonical_tag(std::string_view tag, size_t ndims) {
    const std::string resolved = resolve_alias(tag);
    if (is_special(resolved)) return resolved;
    const std::string canonical = is_meta(resolved) ? expand_meta(resolved, ndims) : resolved;
    if (split_blocks(canonical).first.size() != ndims || !is_known(canonical))
        reject(tag, concat("does not fit ", std::to_string(ndims), " dimensions"));
    return canonical;
}

std::optional<jitnorm_format_tag_t> enumerator_of(std::string_view canonical) {
    for (const named_tag &t : ENUMERATORS)
        if (t.name == canonical) return t.tag;
    return std::nullopt;
}

std::vector<dim_t> strides_of(std::string_view canonical, const std::vector<dim_t> &dims) {
    std::vector<dim_t> strides(dims.size());
    dim_t stride = 1;
    for (auto letter = canonical.rbegin(); letter != canonical.rend(); ++letter) {
        const size_t d = size_t(*letter - 'a');
        strides[d] = stride;
        stride *= std::max<dim_t>(dims[d], 1);
    }
    return strides;
}

} // namespace benchdnn_lite
