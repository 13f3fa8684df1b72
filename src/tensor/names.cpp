// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>

#include "format_tag.hpp"
#include "memory_desc.hpp"

namespace jitnorm::impl {

namespace {

bool tag_describes(const memory_desc &md, jitnorm_format_tag_t tag) {
    memory_desc tagged;
    if (make_with_tag(tagged, md.ndims, md.dims, md.data_type, tag) != jitnorm_success) return false;
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
    std::string letters = std::string("abcdefghijkl").substr(0, size_t(md.ndims));
    std::reverse(letters.begin(), letters.end());
    std::stable_sort(letters.begin(), letters.end(),
                     [&](char a, char b) { return md.strides[a - 'a'] < md.strides[b - 'a']; });
    dim_t dense = 1;
    for (const char letter : letters) { // from the innermost
        if (md.strides[letter - 'a'] != dense) return {};
        dense *= std::max<dim_t>(md.dims[letter - 'a'], 1);
    }
    std::reverse(letters.begin(), letters.end());
    return letters;
}

} // namespace

std::string_view name_of(jitnorm_data_type_t type) { return properties_of(type).name; }

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
