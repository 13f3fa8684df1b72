// SPDX-License-Identifier: Apache-2.0
// onednn_calls: owners of oneDNN's handles, refusals for error statuses, its names of layouts, types and directions,
// and the calls that make descriptors. These are others in version 2 and in version 3.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <dnnl.h>
#include <dnnl_debug.h>
#include <dnnl_version.h>

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

#if DNNL_VERSION_MAJOR == 3 && DNNL_VERSION_MINOR < 4
#error "the race needs oneDNN 2, or 3.4 or later (types of scale and shift)"
#elif DNNL_VERSION_MAJOR >= 3

// Memory descriptors are handles, and one call creates a primitive descriptor.
constexpr bool BACKWARD_TAKES_SHIFT = false;

class tensor_desc {
public:
    explicit tensor_desc(const layout &l) {
        const int ndims = int(l.dims.size());
        const bool is_blocked = !l.blocks.empty();
        desc_ = is_blocked ? make<handle>("memory descriptor", dnnl_memory_desc_create_with_tag, ndims, l.dims.data(),
                                          type_of(l.type), tag_of(l))
                           : make<handle>("memory descriptor", dnnl_memory_desc_create_with_strides, ndims,
                                          l.dims.data(), type_of(l.type), l.strides.data());
    }
    const_dnnl_memory_desc_t get() const { return desc_.get(); }

private:
    using handle = owner<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
    handle desc_;
};

inline attr make_attr(const problem &p) {
    attr a = make<attr>("attributes", dnnl_primitive_attr_create);
    const tensor_scales &scales = p.attr.scales;
    if (scales.src) check(dnnl_primitive_attr_set_scales_mask(a.get(), DNNL_ARG_SRC, 0), "scale of src");
    if (scales.dst) check(dnnl_primitive_attr_set_scales_mask(a.get(), DNNL_ARG_DST, 0), "scale of dst");
    return a;
}

// Both libraries have the same numbers for flags.
inline primitive_desc make_forward(dnnl_engine_t cpu, dnnl_prop_kind_t kind, const problem &p, const tensor_desc &src,
                                   const tensor_desc &dst, const tensor_desc *statistics, const attr &a) {
    return make<primitive_desc>("forward", dnnl_layer_normalization_forward_primitive_desc_create_v2, cpu, kind,
                                src.get(), dst.get(), statistics ? statistics->get() : nullptr,
                                type_of(p.scale_shift.given), float(p.epsilon), p.flags, a.get());
}

inline primitive_desc make_backward(dnnl_engine_t cpu, const problem &p, const tensor_desc &src, const tensor_desc &dst,
                                    const tensor_desc &diff_src, const tensor_desc *statistics,
                                    const_dnnl_primitive_desc_t forward, const attr &a) {
    return make<primitive_desc>("backward", dnnl_layer_normalization_backward_primitive_desc_create_v2, cpu,
                                prop_kind_of(p.dir), diff_src.get(), dst.get(), src.get(),
                                statistics ? statistics->get() : nullptr, type_of(p.scale_shift.gradient),
                                type_of(p.scale_shift.given), float(p.epsilon), p.flags, forward, a.get());
}

#else

// Memory descriptors are values. Primitive descriptors are created from operation descriptors, with one descriptor for
// src and dst.
// Backward with shift needs the shift as an argument, although it does not read it.
constexpr bool BACKWARD_TAKES_SHIFT = true;

class tensor_desc {
public:
    explicit tensor_desc(const layout &l) {
        const int ndims = int(l.dims.size());
        const bool is_blocked = !l.blocks.empty();
        check(is_blocked
                  ? dnnl_memory_desc_init_by_tag(&desc_, ndims, l.dims.data(), type_of(l.type), tag_of(l))
                  : dnnl_memory_desc_init_by_strides(&desc_, ndims, l.dims.data(), type_of(l.type), l.strides.data()),
              "memory descriptor");
    }
    const dnnl_memory_desc_t *get() const { return &desc_; }

private:
    dnnl_memory_desc_t desc_;
};

inline attr make_attr(const problem &p) {
    if (p.attr.scales != tensor_scales{}) throw refusal("no scales");
    return nullptr;
}

inline unsigned flags_of(const problem &p) {
    if (p.is_rms()) throw refusal("no root mean square");
    return (p.statistics_are_global() ? unsigned(dnnl_use_global_stats) : 0U) |
           (p.uses_scale() ? unsigned(dnnl_use_scale) : 0U) | (p.uses_shift() ? unsigned(dnnl_use_shift) : 0U);
}

inline void check_limits(const problem &p, const tensor_desc &src, const tensor_desc &dst) {
    if (p.scale_shift != weight_types{}) throw refusal("only f32 scale and shift");
    if (dnnl_memory_desc_equal(src.get(), dst.get()) == 0) throw refusal("types or layouts of rows differ");
}

inline primitive_desc make_forward(dnnl_engine_t cpu, dnnl_prop_kind_t kind, const problem &p, const tensor_desc &src,
                                   const tensor_desc &dst, const tensor_desc *statistics, const attr &a) {
    check_limits(p, src, dst);
    dnnl_layer_normalization_desc_t operation;
    check(dnnl_layer_normalization_forward_desc_init(
              &operation, kind, src.get(), statistics ? statistics->get() : nullptr, float(p.epsilon), flags_of(p)),
          "forward");
    return make<primitive_desc>("forward", dnnl_primitive_desc_create, &operation, a.get(), cpu, nullptr);
}

inline primitive_desc make_backward(dnnl_engine_t cpu, const problem &p, const tensor_desc &src, const tensor_desc &dst,
                                    const tensor_desc &diff_src, const tensor_desc *statistics,
                                    const_dnnl_primitive_desc_t forward, const attr &a) {
    check_limits(p, src, dst);
    check_limits(p, diff_src, dst);
    dnnl_layer_normalization_desc_t operation;
    check(dnnl_layer_normalization_backward_desc_init(&operation, prop_kind_of(p.dir), dst.get(), src.get(),
                                                      statistics ? statistics->get() : nullptr, float(p.epsilon),
                                                      flags_of(p)),
          "backward");
    return make<primitive_desc>("backward", dnnl_primitive_desc_create, &operation, a.get(), cpu, forward);
}

#endif

} // namespace benchdnn_lite::dnnl
