// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
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

namespace {

bool tag_describes(const memory_desc &md, jitnorm_format_tag_t tag) {
    const layout_rule rule = parse_layout(tag_name(tag));
    memory_desc tagged;
    if (rule.ndims != md.ndims || make_with_rule(tagged, md.dims, md.data_type, rule).failed()) return false;
    tagged.offset0 = md.offset0;
    return tagged == md;
}

std::string tag_of(const memory_desc &md) {
    const auto tags = named_tags();
    const auto found =
        std::find_if(tags.begin(), tags.end(), [&](auto &entry) { return tag_describes(md, entry.tag); });
    return found == tags.end() ? std::string() : std::string(found->name);
}

// The letters of the dimensions from the largest stride to the smallest; empty if the tensor is not dense in that
// order.
std::string permutation_of(const memory_desc &md) {
    if (md.inner_nblks != 0 || has_runtime_dims(md)) return {};
    int order[MAX_NDIMS];
    order_by_strides(md.strides, md.ndims, order);
    std::string letters;
    dim_t dense = 1;
    for (int i = md.ndims - 1; i >= 0; --i) { // from the innermost
        const int d = order[i];
        if (md.strides[d] != dense) return {};
        dense *= std::max<dim_t>(md.dims[d], 1);
        letters.insert(letters.begin(), char('a' + d));
    }
    return letters;
}

} // namespace

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
    case jitnorm_prop_kind_undef:
    case jitnorm_backward_weights:
    case jitnorm_backward_bias:
        break;
    }
    return "undef";
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

std::string join(const dim_t *values, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += 'x';
        text += values[i] == RUNTIME_DIM ? "*" : std::to_string(values[i]);
    }
    return text;
}

std::string layout_name(const memory_desc &md) {
    if (md.format_kind == jitnorm_format_kind_any) return "any";
    if (md.format_kind != jitnorm_blocked) return "undef";
    if (std::string tag = tag_of(md); !tag.empty()) return tag;
    if (std::string letters = permutation_of(md); !letters.empty()) return letters;
    return join(md.strides, md.ndims);
}

} // namespace jitnorm::impl
