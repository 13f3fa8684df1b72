// SPDX-License-Identifier: Apache-2.0
// onednn_handles: what both versions of oneDNN need: owners of handles, refusals for error statuses, and oneDNN's names
// of layouts, types and directions.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <dnnl.h>
#include <dnnl_debug.h>

#include "../text.hpp"
#include "peer.hpp"

namespace benchdnn_lite::dnnl {

template <auto Destroy>
struct destroyer {
    template <typename T>
    void operator()(T *handle) const {
        Destroy(handle);
    }
};

template <typename Handle, auto Destroy>
using owner = std::unique_ptr<std::remove_pointer_t<Handle>, destroyer<Destroy>>;

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

// The name of a layout, like aBcd8b. First come the dimensions from the outermost to the innermost, as capitals if they
// are in blocks, then the size and the dimension of each block.
inline std::string tag_text(const layout &l) {
    std::vector<size_t> order(l.dims.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return l.strides[a] > l.strides[b]; });
    std::string outer, inner;
    for (const size_t d : order) outer += char('a' + d);
    for (const inner_block &block : l.blocks) {
        const char letter = char('a' + block.dim);
        std::replace(outer.begin(), outer.end(), letter, char('A' + block.dim));
        inner += std::to_string(block.size) + letter;
    }
    return outer + inner;
}

inline dnnl_format_tag_t tag_of(const layout &l) {
    const std::string name = tag_text(l);
    for (int tag = dnnl_format_tag_any + 1; tag < dnnl_format_tag_last; ++tag)
        if (name == dnnl_fmt_tag2str(dnnl_format_tag_t(tag))) return dnnl_format_tag_t(tag);
    throw refusal(concat("no tag ", name));
}

// Both libraries have the same numbers for data types.
inline dnnl_data_type_t type_of(data_type type) { return dnnl_data_type_t(type); }

inline dnnl_prop_kind_t prop_kind_of(direction dir) {
    constexpr dnnl_prop_kind_t KINDS[] = {dnnl_forward_training, dnnl_forward_inference, dnnl_backward_data,
                                          dnnl_backward};
    return KINDS[size_t(dir)];
}

} // namespace benchdnn_lite::dnnl
