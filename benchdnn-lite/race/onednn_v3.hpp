// SPDX-License-Identifier: Apache-2.0
// onednn_v3: what only version 3 of oneDNN has: memory descriptors that are handles, and primitive descriptors that one
// call creates.
#pragma once

#include "onednn_handles.hpp"

#if DNNL_VERSION_MAJOR == 3 && DNNL_VERSION_MINOR < 4
#error "the race needs oneDNN 2, or 3.4 or later (types of scale and shift)"
#endif

namespace benchdnn_lite::dnnl {

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

} // namespace benchdnn_lite::dnnl
