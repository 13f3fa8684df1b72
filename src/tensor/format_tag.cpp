// SPDX-License-Identifier: Apache-2.0
#include "format_tag.hpp"

#include <iterator>

namespace jitnorm::impl {

namespace {

constexpr named_tag TAGS[] = {
#define FORMAT_TAG(name, number) {jitnorm_##name, #name},
#include "../../tables/format_tags.inc"
};

constexpr int FIRST_TAG = jitnorm_format_tag_any + 1;

constexpr bool table_follows_the_enumeration() {
    for (int i = 0; i < int(std::size(TAGS)); ++i)
        if (TAGS[i].tag != FIRST_TAG + i) return false;
    return FIRST_TAG + int(std::size(TAGS)) == jitnorm_format_tag_last;
}
static_assert(table_follows_the_enumeration());

constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }

constexpr int dimension_of(char letter) { return letter < 'a' ? letter - 'A' : letter - 'a'; }

} // namespace

std::span<const named_tag> named_tags() { return TAGS; }

std::string_view tag_name(jitnorm_format_tag_t tag) {
    if (tag < FIRST_TAG || tag >= FIRST_TAG + int(std::size(TAGS))) return {}; // a caller may pass any int
    return TAGS[tag - FIRST_TAG].name;
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

} // namespace jitnorm::impl
