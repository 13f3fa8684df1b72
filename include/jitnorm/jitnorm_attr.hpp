// SPDX-License-Identifier: Apache-2.0
// jitnorm_attr.hpp: attributes and post-operations. Included by jitnorm.hpp; everything else is described in
// jitnorm_attr.h.
#ifndef JITNORM_ATTR_HPP
#define JITNORM_ATTR_HPP

#include "jitnorm/jitnorm_primitive.hpp"

namespace jitnorm {

struct post_ops : public handle<jitnorm_post_ops_t> {
    using handle::handle;
    post_ops() { create("could not create post-ops", jitnorm_post_ops_create); }
    post_ops(jitnorm_post_ops_t taken_over) : handle(taken_over) {}

    int len() const { return jitnorm_post_ops_len(get()); }
    primitive::kind kind(int index) const {
        if (index < 0 || index >= len()) throw error(jitnorm_invalid_arguments, "there is no such post-op");
        return static_cast<primitive::kind>(jitnorm_post_ops_get_kind(get(), index));
    }

    void append_sum(float scale = 1.f, int32_t zero_point = 0, memory::data_type data_type = memory::data_type::undef) {
        error::wrap_c_api(jitnorm_post_ops_append_sum(get(), scale, zero_point, memory::convert_to_c(data_type)),
                          "could not append a sum post-op");
    }
    void get_params_sum(int index, float &scale) const {
        int32_t zero_point;
        memory::data_type data_type;
        get_params_sum(index, scale, zero_point, data_type);
    }
    void get_params_sum(int index, float &scale, memory::data_type &data_type) const {
        int32_t zero_point;
        get_params_sum(index, scale, zero_point, data_type);
    }
    void get_params_sum(int index, float &scale, int32_t &zero_point, memory::data_type &data_type) const {
        jitnorm_data_type_t type;
        error::wrap_c_api(jitnorm_post_ops_get_params_sum(get(), index, &scale, &zero_point, &type),
                          "could not get the parameters of a sum post-op");
        data_type = static_cast<memory::data_type>(type);
    }

    void append_eltwise(algorithm alg, float alpha, float beta) {
        error::wrap_c_api(jitnorm_post_ops_append_eltwise(get(), convert_to_c(alg), alpha, beta),
                          "could not append an eltwise post-op");
    }
    void get_params_eltwise(int index, algorithm &alg, float &alpha, float &beta) const {
        jitnorm_alg_kind_t kind;
        error::wrap_c_api(jitnorm_post_ops_get_params_eltwise(get(), index, &kind, &alpha, &beta),
                          "could not get the parameters of an eltwise post-op");
        alg = static_cast<algorithm>(kind);
    }

    void append_binary(algorithm alg, const memory::desc &src1_desc) {
        error::wrap_c_api(jitnorm_post_ops_append_binary(get(), convert_to_c(alg), src1_desc.get()),
                          "could not append a binary post-op");
    }
    void get_params_binary(int index, algorithm &alg, memory::desc &src1_desc) const {
        jitnorm_alg_kind_t kind;
        const_jitnorm_memory_desc_t described;
        error::wrap_c_api(jitnorm_post_ops_get_params_binary(get(), index, &kind, &described),
                          "could not get the parameters of a binary post-op");
        src1_desc.reset(copy_of(described));
        alg = static_cast<algorithm>(kind);
    }

    // With an empty src2_desc, which is the only one that is accepted, the same as above.
    void append_binary(algorithm alg, const memory::desc &src1_desc, const memory::desc &src2_desc) {
        error::wrap_c_api(
            jitnorm_post_ops_append_binary_v2(get(), convert_to_c(alg), src1_desc.get(), src2_desc.get(true)),
            "could not append a binary post-op");
    }
    void get_params_binary(int index, algorithm &alg, memory::desc &src1_desc, memory::desc &src2_desc) const {
        get_params_binary(index, alg, src1_desc);
        src2_desc = memory::desc();
    }

    void append_prelu(int mask) {
        error::wrap_c_api(jitnorm_post_ops_append_prelu(get(), mask), "could not append a prelu post-op");
    }
    void get_params_prelu(int index, int &mask) const {
        error::wrap_c_api(jitnorm_post_ops_get_params_prelu(get(), index, &mask),
                          "could not get the parameters of a prelu post-op");
    }
};

struct primitive_attr : public handle<jitnorm_primitive_attr_t> {
    using handle::handle;
    primitive_attr() { create("could not create attributes", jitnorm_primitive_attr_create); }
    primitive_attr(jitnorm_primitive_attr_t taken_over) : handle(taken_over) {}

    scratchpad_mode get_scratchpad_mode() const {
        return static_cast<scratchpad_mode>(
            ask(jitnorm_primitive_attr_get_scratchpad_mode, "could not get the scratchpad mode"));
    }
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::wrap_c_api(jitnorm_primitive_attr_set_scratchpad_mode(get(), convert_to_c(mode)),
                          "could not set the scratchpad mode");
    }

    bool get_deterministic() const {
        return ask(jitnorm_primitive_attr_get_deterministic, "could not get the determinism") != 0;
    }
    void set_deterministic(bool value) {
        error::wrap_c_api(jitnorm_primitive_attr_set_deterministic(get(), value), "could not set the determinism");
    }

    fpmath_mode get_fpmath_mode() const {
        fpmath_mode mode;
        bool apply_to_int;
        get_fpmath_mode(mode, apply_to_int);
        return mode;
    }
    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        jitnorm_fpmath_mode_t c_mode;
        int applies;
        error::wrap_c_api(jitnorm_primitive_attr_get_fpmath_mode_v2(get(), &c_mode, &applies),
                          "could not get the floating-point mode");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = applies != 0;
    }
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(jitnorm_primitive_attr_set_fpmath_mode_v2(get(), convert_to_c(mode), apply_to_int),
                          "could not set the floating-point mode");
    }

    accumulation_mode get_accumulation_mode() const {
        return static_cast<accumulation_mode>(
            ask(jitnorm_primitive_attr_get_accumulation_mode, "could not get the accumulation mode"));
    }
    void set_accumulation_mode(accumulation_mode mode) {
        error::wrap_c_api(jitnorm_primitive_attr_set_accumulation_mode(get(), convert_to_c(mode)),
                          "could not set the accumulation mode");
    }

    rounding_mode get_rounding_mode(int arg) const {
        jitnorm_rounding_mode_t result;
        error::wrap_c_api(jitnorm_primitive_attr_get_rounding(get(), arg, &result), "could not get the rounding mode");
        return static_cast<rounding_mode>(result);
    }
    void set_rounding_mode(int arg, rounding_mode mode) {
        error::wrap_c_api(jitnorm_primitive_attr_set_rounding(get(), arg, convert_to_c(mode)),
                          "could not set the rounding mode");
    }

    // If there is no such tensor, its descriptor is empty, and its type is undef.
    void get_residual(memory::desc &residual_desc, memory::desc &sum_desc, memory::data_type &bias_data_type,
                      residual_flags &flags) const {
        const_jitnorm_memory_desc_t residual, sum;
        jitnorm_data_type_t type;
        unsigned c_flags;
        error::wrap_c_api(jitnorm_primitive_attr_get_residual(get(), &residual, &sum, &type, &c_flags),
                          "could not get the residual");
        residual_desc.reset(copy_of(residual));
        sum_desc.reset(copy_of(sum));
        bias_data_type = static_cast<memory::data_type>(type);
        flags = static_cast<residual_flags>(c_flags);
    }
    // If sum_desc is empty, the sum is not written. If bias_data_type is undef, there is no bias.
    void set_residual(const memory::desc &residual_desc, const memory::desc &sum_desc = memory::desc(),
                      memory::data_type bias_data_type = memory::data_type::undef,
                      residual_flags flags = residual_flags::none) {
        error::wrap_c_api(jitnorm_primitive_attr_set_residual(get(), residual_desc.get(), sum_desc.get(),
                                                              memory::convert_to_c(bias_data_type),
                                                              convert_to_c(flags)),
                          "could not set a residual");
    }

    // The descriptor is empty if there is no gate.
    memory::desc get_residual_gate() const {
        return memory::desc(copy_of(ask(jitnorm_primitive_attr_get_residual_gate, "could not get the gate")));
    }
    void set_residual_gate(const memory::desc &gate_desc) {
        error::wrap_c_api(jitnorm_primitive_attr_set_residual_gate(get(), gate_desc.get()), "could not set a gate");
    }

    // The descriptor is empty if there is no such output.
    memory::desc get_pre_quantization_dst() const {
        return memory::desc(
            copy_of(ask(jitnorm_primitive_attr_get_pre_quantization_dst, "could not get the pre-quantization output")));
    }
    void set_pre_quantization_dst(const memory::desc &pre_quantization_desc) {
        error::wrap_c_api(jitnorm_primitive_attr_set_pre_quantization_dst(get(), pre_quantization_desc.get()),
                          "could not set a pre-quantization output");
    }

    // A descriptor is empty if there is none: then scale or shift is a vector.
    void get_scale_shift_descs(memory::desc &scale_desc, memory::desc &shift_desc) const {
        const_jitnorm_memory_desc_t scale, shift;
        error::wrap_c_api(jitnorm_primitive_attr_get_scale_shift_descs(get(), &scale, &shift),
                          "could not get the descriptors of scale and shift");
        scale_desc.reset(copy_of(scale));
        shift_desc.reset(copy_of(shift));
    }
    void set_scale_shift_descs(const memory::desc &scale_desc, const memory::desc &shift_desc = memory::desc()) {
        error::wrap_c_api(jitnorm_primitive_attr_set_scale_shift_descs(get(), scale_desc.get(), shift_desc.get()),
                          "could not set the descriptors of scale and shift");
    }

    // -1 if none was set.
    double get_epsilon() const { return ask(jitnorm_primitive_attr_get_epsilon, "could not get the epsilon"); }
    void set_epsilon(double epsilon) {
        error::wrap_c_api(jitnorm_primitive_attr_set_epsilon(get(), epsilon), "could not set the epsilon");
    }

    void set_scales_mask(int arg, int mask) {
        error::wrap_c_api(jitnorm_primitive_attr_set_scales_mask(get(), arg, mask), "could not set a scale");
    }
    void set_scales(int arg, int mask, const memory::dims &groups, memory::data_type type = memory::data_type::f32,
                    bool is_on_host = false, quantization_mode mode = quantization_mode::static_sazp) {
        error::wrap_c_api(jitnorm_primitive_attr_set_scales_v3(get(), arg, mask, static_cast<int>(groups.size()),
                                                               groups.empty() ? nullptr : groups.data(),
                                                               memory::convert_to_c(type), is_on_host,
                                                               convert_to_c(mode)),
                          "could not set scales");
    }
    void set_host_scale(int arg, memory::data_type type = memory::data_type::f32) {
        set_scales(arg, 0, {}, type, true);
    }

    void set_zero_points_mask(int arg, int mask) {
        error::wrap_c_api(jitnorm_primitive_attr_set_zero_points_mask(get(), arg, mask), "could not set a zero point");
    }
    void set_zero_points(int arg, int mask, const memory::dims &groups, memory::data_type type = memory::data_type::s32,
                         bool is_on_host = false) {
        error::wrap_c_api(jitnorm_primitive_attr_set_zero_points_v2(get(), arg, mask, static_cast<int>(groups.size()),
                                                                    groups.empty() ? nullptr : groups.data(),
                                                                    memory::convert_to_c(type), is_on_host),
                          "could not set zero points");
    }
    void set_host_zero_point(int arg, memory::data_type type = memory::data_type::s32) {
        set_zero_points(arg, 0, {}, type, true);
    }

    post_ops get_post_ops() const {
        const_jitnorm_post_ops_t owned;
        error::wrap_c_api(jitnorm_primitive_attr_get_post_ops(get(), &owned), "could not get post-ops");
        jitnorm_post_ops_t copy;
        error::wrap_c_api(jitnorm_post_ops_clone(&copy, owned), "could not clone post-ops");
        return post_ops(copy);
    }
    void set_post_ops(const post_ops &operations) {
        error::wrap_c_api(jitnorm_primitive_attr_set_post_ops(get(), operations.get()), "could not set post-ops");
    }
};

} // namespace jitnorm

#endif
