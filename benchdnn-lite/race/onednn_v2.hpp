// SPDX-License-Identifier: Apache-2.0
// onednn_v2: what only version 2 of oneDNN has: memory descriptors that are values, and operation descriptors, with one
// descriptor for src and dst, from which primitive descriptors are created.
#pragma once

#include "onednn_handles.hpp"

namespace benchdnn_lite::dnnl {

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

} // namespace benchdnn_lite::dnnl
