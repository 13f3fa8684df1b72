// SPDX-License-Identifier: Apache-2.0
// runtime_requests: primitives of any layout whose sizes may be left to run time.
#pragma once

#include "row_tensors.hpp"

namespace jitnorm::tests {

constexpr unsigned C = jitnorm_use_scale, H = jitnorm_use_shift, G = jitnorm_use_global_stats, M = jitnorm_rms_norm;

// A layout: a tag, or strides.
struct layout {
    jitnorm_format_tag_t tag = jitnorm_format_tag_undef;
    dims strides = {};

    owned_md of(const dims &sizes, jitnorm_data_type_t type) const {
        return tag == jitnorm_format_tag_undef ? make_md(sizes, type, strides) : make_md(sizes, type, tag);
    }
};

// What a primitive descriptor is made of; both directions take their part.
struct request {
    jitnorm_prop_kind_t kind;
    unsigned flags;
    dims sizes;
    layout src, dst; // dst: of dst, diff_dst and diff_src
    jitnorm_data_type_t type = jitnorm_f32;
    const_jitnorm_primitive_attr_t attr = nullptr;
    layout statistics = {};

    bool is_forward() const { return kind == jitnorm_forward_training || kind == jitnorm_forward_inference; }

    owned_pd create() const {
        const owned_md in = src.of(sizes, type), out = dst.of(sizes, type);
        const owned_md per_row = statistics.of({sizes.begin(), sizes.end() - 1}, jitnorm_f32);
        return is_forward() ? forward_request{kind, in, out, per_row}.make(flags, attr)
                            : backward_request{kind, out, out, in, per_row}.make(flags, attr);
    }
};

inline layout strides(const dims &values) { return {jitnorm_format_tag_undef, values}; }
inline layout tag(jitnorm_format_tag_t value) { return {value}; }

} // namespace jitnorm::tests
