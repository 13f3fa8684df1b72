// SPDX-License-Identifier: Apache-2.0
#include "format_tag.hpp"

#include <iterator>

namespace jitnorm::impl {

namespace {

#define JITNORM_TAG(name)                                                                                              \
    { jitnorm_##name, #name }

constexpr named_tag TAGS[] = {
    JITNORM_TAG(a),          JITNORM_TAG(ab),          JITNORM_TAG(ba),        JITNORM_TAG(abc),
    JITNORM_TAG(acb),        JITNORM_TAG(bac),         JITNORM_TAG(bca),       JITNORM_TAG(cab),
    JITNORM_TAG(cba),        JITNORM_TAG(abcd),        JITNORM_TAG(abdc),      JITNORM_TAG(acbd),
    JITNORM_TAG(acdb),       JITNORM_TAG(adbc),        JITNORM_TAG(bacd),      JITNORM_TAG(bcda),
    JITNORM_TAG(cdab),       JITNORM_TAG(cdba),        JITNORM_TAG(dabc),      JITNORM_TAG(dcab),
    JITNORM_TAG(dcba),       JITNORM_TAG(abcde),       JITNORM_TAG(abced),     JITNORM_TAG(abdec),
    JITNORM_TAG(acbde),      JITNORM_TAG(acdeb),       JITNORM_TAG(bacde),     JITNORM_TAG(bcdea),
    JITNORM_TAG(cdeba),      JITNORM_TAG(decab),       JITNORM_TAG(eabcd),     JITNORM_TAG(edcba),
    JITNORM_TAG(Ab4a),       JITNORM_TAG(Ab8a),        JITNORM_TAG(Ab16a),     JITNORM_TAG(aB4b),
    JITNORM_TAG(aB8b),       JITNORM_TAG(aB16b),       JITNORM_TAG(AB8b8a),    JITNORM_TAG(AB16b16a),
    JITNORM_TAG(AB16b32a),   JITNORM_TAG(AB16b48a),    JITNORM_TAG(AB16b64a),  JITNORM_TAG(AB48a16b),
    JITNORM_TAG(AB8a8b),     JITNORM_TAG(AB16a16b),    JITNORM_TAG(BA16a16b),  JITNORM_TAG(BA16a32b),
    JITNORM_TAG(BA16a48b),   JITNORM_TAG(BA16a64b),    JITNORM_TAG(aBc4b),     JITNORM_TAG(aBc8b),
    JITNORM_TAG(aBc16b),     JITNORM_TAG(aBC8b8c),     JITNORM_TAG(aBC16b16c), JITNORM_TAG(ABc16a16b),
    JITNORM_TAG(ABc16b16a),  JITNORM_TAG(aBcd4b),      JITNORM_TAG(aBcd8b),    JITNORM_TAG(aBcd16b),
    JITNORM_TAG(ABcd16a16b), JITNORM_TAG(ABcd16b16a),  JITNORM_TAG(aBcde4b),   JITNORM_TAG(aBcde8b),
    JITNORM_TAG(aBcde16b),   JITNORM_TAG(ABcde16a16b),
};

#undef JITNORM_TAG

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
