// SPDX-License-Identifier: Apache-2.0
// onednn_handles: what oneDNN's versions have in common: handles as owners, statuses as refusals, and the tensors of a
// layer normalization.
#pragma once

#include <string>
#include <vector>

#include <dnnl.h>
#include <dnnl_debug.h>

#include "../text.hpp"
#include "peer.hpp"

namespace benchdnn_lite::dnnl {

using engine = owner<dnnl_engine_t, dnnl_engine_destroy>;
using stream = owner<dnnl_stream_t, dnnl_stream_destroy>;
using memory = owner<dnnl_memory_t, dnnl_memory_destroy>;
using attr = owner<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using primitive_desc = owner<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using primitive = owner<dnnl_primitive_t, dnnl_primitive_destroy>;

inline void check(dnnl_status_t status, const char *what) {
    if (status != dnnl_success) throw refusal(concat(what, ": ", dnnl_status2str(status)));
}

// Calls `create`, which writes a handle through its first argument, and owns the handle.
template <typename Owner, typename Create, typename... Arguments>
Owner make(const char *what, Create create, Arguments... arguments) {
    typename Owner::pointer handle = nullptr;
    check(create(&handle, arguments...), what);
    return Owner(handle);
}

// A tensor as its layout and, if that is blocked, its canonical tag.
struct tensor {
    layout shape;
    std::string tag;
    bool is_blocked() const { return !shape.blocks.empty(); }
};

inline dnnl_format_tag_t tag_named(const std::string &name) {
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag)
        if (name == dnnl_fmt_tag2str(dnnl_format_tag_t(tag))) return dnnl_format_tag_t(tag);
    throw refusal(concat("no tag ", name));
}

// Both libraries number data types and propagation kinds alike.
inline dnnl_data_type_t type_of(data_type type) { return dnnl_data_type_t(type); }

inline dnnl_prop_kind_t prop_kind_of(direction dir) {
    constexpr dnnl_prop_kind_t KINDS[] = {dnnl_forward_training, dnnl_forward_inference, dnnl_backward_data,
                                          dnnl_backward};
    return KINDS[size_t(dir)];
}

} // namespace benchdnn_lite::dnnl
