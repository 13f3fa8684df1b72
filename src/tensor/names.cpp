// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace jitnorm::impl {

namespace {

constexpr named_tag TAGS[] = {
#define FORMAT_TAG(name, number) {jitnorm_##name, #name},
#include "../../tables/format_tags.inc"
};

constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }

constexpr int dimension_of(char letter) { return letter < 'a' ? letter - 'A' : letter - 'a'; }

// Whether the layout is the one that the rule makes for these dimensions.
bool follows(const memory_desc &md, const layout_rule &rule) {
    memory_desc made;
    if (rule.ndims != md.ndims || make_with_rule(made, md.dims, md.data_type, rule).failed()) return false;
    made.offset0 = md.offset0;
    return made == md;
}

std::string_view tag_of(const memory_desc &md) {
    const auto *const found =
        std::ranges::find_if(TAGS, [&](auto &tag) { return follows(md, parse_layout(tag.name)); });
    return found == std::end(TAGS) ? std::string_view() : found->name;
}

// The letters of the dimensions, the largest stride first; empty if the tensor is not dense in that order.
std::string permutation_of(const memory_desc &md) {
    if (md.inner_nblks != 0 || has_runtime_dims(md)) return {};
    layout_rule rule = {.ndims = md.ndims};
    order_by_strides(md.strides, md.ndims, rule.order);
    if (!follows(md, rule)) return {};
    std::string letters;
    for (int i = 0; i < md.ndims; ++i) letters += char('a' + rule.order[i]);
    return letters;
}

// The first dimension that differs; if only dimensions that are not known yet differ, the first of these.
size_t find_difference(std::span<const dim_t> given, std::span<const dim_t> expected) {
    size_t found = given.size();
    for (size_t d = given.size(); d-- > 0;)
        if (given[d] != expected[d] && (found == given.size() || given[d] != RUNTIME_DIM)) found = d;
    return found;
}

} // namespace

std::span<const named_tag> named_tags() { return TAGS; }

std::string_view tag_name(jitnorm_format_tag_t tag) {
    const auto *const found = std::ranges::find(TAGS, tag, &named_tag::tag);
    return found == std::end(TAGS) ? std::string_view() : found->name;
}

layout_rule parse_layout(std::string_view name) {
    layout_rule rule;
    size_t at = 0;
    for (; at < name.size() && !is_digit(name[at]); ++at) rule.order[rule.ndims++] = dimension_of(name[at]);
    for (; at < name.size(); ++at) {
        dim_t &block = rule.inner_blks[rule.inner_nblks];
        for (; is_digit(name[at]); ++at) block = block * 10 + (name[at] - '0');
        rule.inner_idxs[rule.inner_nblks++] = dimension_of(name[at]);
    }
    return rule;
}

void order_by_strides(const dim_t *strides, int ndims, int *order) {
    for (int d = 0; d < ndims; ++d) {
        int at = d;
        for (; at > 0 && strides[order[at - 1]] < strides[d]; --at) order[at] = order[at - 1];
        order[at] = d;
    }
}

std::string_view name_of(jitnorm_data_type_t type) { return properties_of(type).name; }

status unknown_data_type(int type) {
    name_list known;
#define DATA_TYPE(name, ...) known.add(#name);
#include "../../tables/data_types.inc"
    return invalid(explain("unknown data_type %d; known: %s", type, known.text()));
}

std::string_view name_of(jitnorm_prop_kind_t kind) {
    switch (kind) {
    case jitnorm_forward_training:
        return "FWD_D";
    case jitnorm_forward_inference:
        return "FWD_I";
    case jitnorm_backward:
        return "BWD_DW";
    case jitnorm_backward_data:
        return "BWD_D";
    default:
        return "undef";
    }
}

std::string_view name_of(jitnorm_alg_kind_t alg) {
    switch (alg) {
#define ELTWISE(name, number)                                                                                          \
    case jitnorm_eltwise_##name:                                                                                       \
        return #name;
#include "../../tables/eltwise.inc"
#define BINARY(name, number)                                                                                           \
    case jitnorm_binary_##name:                                                                                        \
        return #name;
#include "../../tables/binary.inc"
    case jitnorm_alg_kind_undef:
        break;
    }
    return "undef";
}

std::string_view name_of(jitnorm_normalization_flags_t flag) {
    switch (flag) {
#define FLAG(name, ...)                                                                                                \
    case jitnorm_##name:                                                                                               \
        return #name;
#include "../../tables/normalization_flags.inc"
    case jitnorm_normalization_flags_none:
        break;
    }
    return "";
}

std::string join(std::span<const dim_t> values) {
    std::string text;
    for (const dim_t value : values)
        text += (text.empty() ? "" : "x") + (value == RUNTIME_DIM ? "*" : std::to_string(value));
    return text;
}

std::string layout_name(const memory_desc &md) {
    if (md.format_kind == jitnorm_format_kind_any) return "any";
    if (md.format_kind != jitnorm_blocked) return "undef";
    if (const std::string_view tag = tag_of(md); !tag.empty()) return std::string(tag);
    if (std::string letters = permutation_of(md); !letters.empty()) return letters;
    return join({md.strides, size_t(md.ndims)});
}

// ---- reasons of refusals

short_text dims_text(std::span<const dim_t> dims) noexcept {
    short_text result = {"none"};
    size_t at = 0;
    for (size_t d = 0; d < dims.size() && at < sizeof result.text; ++d) {
        char number[24] = "*";
        if (dims[d] != RUNTIME_DIM) std::snprintf(number, sizeof number, "%lld", as_number(dims[d]));
        at += size_t(std::snprintf(result.text + at, sizeof result.text - at, d == 0 ? "%s" : "x%s", number));
    }
    return result;
}

const char *explain_dims(const char *name, std::span<const dim_t> given, const char *other,
                         std::span<const dim_t> expected) noexcept {
    const short_text mine = dims_text(given), theirs = dims_text(expected);
    if (given.size() != expected.size())
        return explain("%s has %zu dimensions (%s), %s has %zu (%s)", name, given.size(), mine.text, other,
                       expected.size(), theirs.text);
    const size_t d = find_difference(given, expected);
    if (d == given.size()) return explain("%s has the dimensions of %s", name, other);
    const short_text one = dims_text(given.subspan(d, 1)), wanted = dims_text(expected.subspan(d, 1));
    return explain("dimension %zu of %s is %s, that of %s is %s (%s and %s)", d, name, one.text, other, wanted.text,
                   mine.text, theirs.text);
}

const char *explain_part(const char *name, const char *reason) noexcept {
    char kept[256]; // explain() would overwrite its own result while it reads it
    std::snprintf(kept, sizeof kept, "%s", reason);
    return explain("%s: %s", name, kept);
}

} // namespace jitnorm::impl
