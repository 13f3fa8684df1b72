// SPDX-License-Identifier: Apache-2.0
// jitnorm.hpp: the C++ interface of jitnorm, layer normalization on CPUs. Programs include only this header. It needs
// C++11, and a program links with the library only.
//
// It is a thin layer over the C interface; jitnorm.h has the formulas, the table of tensors and the rules. Handles own
// their objects, and errors are exceptions of the type jitnorm::error. Names and signatures mirror dnnl.hpp. Most
// programs can be moved over by `namespace dnnl = jitnorm;` and by replacing DNNL_ARG_* with JITNORM_ARG_*.
#ifndef JITNORM_HPP
#define JITNORM_HPP

#include "jitnorm/jitnorm_primitive_desc.hpp"

namespace jitnorm {

// The queries of forward and backward.
struct layer_normalization_primitive_desc : public primitive_desc {
    layer_normalization_primitive_desc() = default;

    // Empty if the primitive has no statistics. With rms_norm the mean is ignored and has the variance's descriptor.
    memory::desc mean_desc() const { return query_md(query::exec_arg_md, JITNORM_ARG_MEAN); }
    memory::desc variance_desc() const { return query_md(query::exec_arg_md, JITNORM_ARG_VARIANCE); }

    jitnorm::prop_kind get_prop_kind() const {
        return static_cast<jitnorm::prop_kind>(query_value<jitnorm_prop_kind_t>(query::prop_kind));
    }
    float get_epsilon() const { return query_value<float>(query::epsilon_f32); }
    normalization_flags get_flags() const {
        return static_cast<normalization_flags>(query_value<unsigned>(query::flags));
    }

protected:
    layer_normalization_primitive_desc(const_jitnorm_primitive_desc_t cloned, jitnorm::prop_kind one,
                                       jitnorm::prop_kind other)
        : primitive_desc(cloned, primitive::kind::layer_normalization, one, other) {}
};

struct layer_normalization_forward : public primitive {
    // stat_desc describes mean and variance. If it is left out, they are f32 in the layout of src. With
    // prop_kind::forward_training dst_desc may be memory::desc(): then there is no dst, only statistics. With
    // allow_empty, a failure makes an empty handle instead of an exception.
    struct primitive_desc : public layer_normalization_primitive_desc {
        primitive_desc() = default;

        // Clones a C descriptor of a forward layer normalization, which still belongs to its owner. Null makes an empty
        // handle. Throws invalid_arguments if the descriptor is of another primitive or direction.
        primitive_desc(const_jitnorm_primitive_desc_t cloned)
            : layer_normalization_primitive_desc(cloned, prop_kind::forward_training, prop_kind::forward_inference) {}

        primitive_desc(const engine &on, prop_kind kind, const memory::desc &src_desc, const memory::desc &dst_desc,
                       const memory::desc &stat_desc, memory::data_type scale_shift_data_type, float epsilon,
                       normalization_flags flags, const primitive_attr &attr = primitive_attr(),
                       bool allow_empty = false) {
            create(on, kind, src_desc, dst_desc, stat_desc.get(), scale_shift_data_type, epsilon, flags, attr,
                   allow_empty);
        }
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &src_desc, const memory::desc &dst_desc,
                       memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false) {
            create(on, kind, src_desc, dst_desc, nullptr, scale_shift_data_type, epsilon, flags, attr, allow_empty);
        }
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &src_desc, const memory::desc &dst_desc,
                       const memory::desc &stat_desc, float epsilon, normalization_flags flags,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(on, kind, src_desc, dst_desc, stat_desc, memory::data_type::f32, epsilon, flags, attr,
                             allow_empty) {}
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &src_desc, const memory::desc &dst_desc,
                       float epsilon, normalization_flags flags, const primitive_attr &attr = primitive_attr(),
                       bool allow_empty = false)
            : primitive_desc(on, kind, src_desc, dst_desc, memory::data_type::f32, epsilon, flags, attr, allow_empty) {}

    private:
        void create(const engine &on, prop_kind kind, const memory::desc &src_desc, const memory::desc &dst_desc,
                    const_jitnorm_memory_desc_t stat_desc, memory::data_type scale_shift_data_type, float epsilon,
                    normalization_flags flags, const primitive_attr &attr, bool allow_empty) {
            handle::create(allow_empty, "could not create a primitive descriptor",
                           jitnorm_layer_normalization_forward_primitive_desc_create_v2, on.get(), convert_to_c(kind),
                           src_desc.get(), dst_desc.get(), stat_desc, memory::convert_to_c(scale_shift_data_type),
                           epsilon, convert_to_c(flags), attr.get());
        }
    };

    layer_normalization_forward() = default;
    layer_normalization_forward(const primitive_desc &described) : primitive(described) {}
    layer_normalization_forward(const primitive_desc &described, const std::vector<uint8_t> &cache_blob)
        : primitive(described, cache_blob) {}
};

struct layer_normalization_backward : public primitive {
    // stat_desc and allow_empty are as in forward. hint_fwd_pd may be an empty handle.
    struct primitive_desc : public layer_normalization_primitive_desc {
        primitive_desc() = default;

        // Clones a C descriptor of a backward layer normalization, which still belongs to its owner. Null makes an
        // empty handle. Throws invalid_arguments if the descriptor is of another primitive or direction.
        primitive_desc(const_jitnorm_primitive_desc_t cloned)
            : layer_normalization_primitive_desc(cloned, prop_kind::backward, prop_kind::backward_data) {}

        primitive_desc(const engine &on, prop_kind kind, const memory::desc &diff_src_desc,
                       const memory::desc &diff_dst_desc, const memory::desc &src_desc, const memory::desc &stat_desc,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false) {
            create(on, kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc.get(), diff_scale_shift_data_type,
                   scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &diff_src_desc,
                       const memory::desc &diff_dst_desc, const memory::desc &src_desc,
                       memory::data_type diff_scale_shift_data_type, memory::data_type scale_shift_data_type,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false) {
            create(on, kind, diff_src_desc, diff_dst_desc, src_desc, nullptr, diff_scale_shift_data_type,
                   scale_shift_data_type, epsilon, flags, hint_fwd_pd, attr, allow_empty);
        }
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &diff_src_desc,
                       const memory::desc &diff_dst_desc, const memory::desc &src_desc, const memory::desc &stat_desc,
                       float epsilon, normalization_flags flags,
                       const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(on, kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc, memory::data_type::f32,
                             memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr, allow_empty) {}
        primitive_desc(const engine &on, prop_kind kind, const memory::desc &diff_src_desc,
                       const memory::desc &diff_dst_desc, const memory::desc &src_desc, float epsilon,
                       normalization_flags flags, const layer_normalization_forward::primitive_desc &hint_fwd_pd,
                       const primitive_attr &attr = primitive_attr(), bool allow_empty = false)
            : primitive_desc(on, kind, diff_src_desc, diff_dst_desc, src_desc, memory::data_type::f32,
                             memory::data_type::f32, epsilon, flags, hint_fwd_pd, attr, allow_empty) {}

    private:
        void create(const engine &on, prop_kind kind, const memory::desc &diff_src_desc,
                    const memory::desc &diff_dst_desc, const memory::desc &src_desc,
                    const_jitnorm_memory_desc_t stat_desc, memory::data_type diff_scale_shift_data_type,
                    memory::data_type scale_shift_data_type, float epsilon, normalization_flags flags,
                    const layer_normalization_forward::primitive_desc &hint_fwd_pd, const primitive_attr &attr,
                    bool allow_empty) {
            handle::create(allow_empty, "could not create a primitive descriptor",
                           jitnorm_layer_normalization_backward_primitive_desc_create_v2, on.get(), convert_to_c(kind),
                           diff_src_desc.get(), diff_dst_desc.get(), src_desc.get(), stat_desc,
                           memory::convert_to_c(diff_scale_shift_data_type),
                           memory::convert_to_c(scale_shift_data_type), epsilon, convert_to_c(flags),
                           hint_fwd_pd.get(true), attr.get());
        }
    };

    layer_normalization_backward() = default;
    layer_normalization_backward(const primitive_desc &described) : primitive(described) {}
    layer_normalization_backward(const primitive_desc &described, const std::vector<uint8_t> &cache_blob)
        : primitive(described, cache_blob) {}
};

// ---------------------------------------------------------------- service

using version_t = jitnorm_version_t;
inline const version_t *version() { return jitnorm_version(); }

// Says why the last call that failed on this thread did so. Empty if none has failed.
inline const char *get_last_error() { return jitnorm_get_last_error(); }

inline status set_verbose(int level) { return static_cast<status>(jitnorm_set_verbose(level)); }
inline status set_max_cpu_isa(cpu_isa isa) { return static_cast<status>(jitnorm_set_max_cpu_isa(convert_to_c(isa))); }
inline status set_implementation(const char *name) { return static_cast<status>(jitnorm_set_implementation(name)); }
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(jitnorm_set_jit_profiling_flags(flags));
}
inline status set_jit_dump(int enable) { return static_cast<status>(jitnorm_set_jit_dump(enable)); }
inline status set_jit_dump_folder(const char *folder) {
    return static_cast<status>(jitnorm_set_jit_dump_folder(folder));
}
inline status free_thread_scratchpad() { return static_cast<status>(jitnorm_free_thread_scratchpad()); }
inline status set_cpu_isa_hints(cpu_isa_hints hints) {
    return static_cast<status>(jitnorm_set_cpu_isa_hints(convert_to_c(hints)));
}
inline cpu_isa_hints get_cpu_isa_hints() { return static_cast<cpu_isa_hints>(jitnorm_get_cpu_isa_hints()); }

inline void set_default_fpmath_mode(fpmath_mode mode) {
    error::wrap_c_api(jitnorm_set_default_fpmath_mode(convert_to_c(mode)), "could not set the default mode");
}
inline fpmath_mode get_default_fpmath_mode() {
    jitnorm_fpmath_mode_t mode;
    error::wrap_c_api(jitnorm_get_default_fpmath_mode(&mode), "could not get the default mode");
    return static_cast<fpmath_mode>(mode);
}

inline cpu_isa get_effective_cpu_isa() { return static_cast<cpu_isa>(jitnorm_get_effective_cpu_isa()); }

inline int get_primitive_cache_capacity() {
    int result = 0;
    error::wrap_c_api(jitnorm_get_primitive_cache_capacity(&result), "could not get the cache's capacity");
    return result;
}
inline void set_primitive_cache_capacity(int capacity) {
    error::wrap_c_api(jitnorm_set_primitive_cache_capacity(capacity), "could not set the cache's capacity");
}

} // namespace jitnorm

#endif
