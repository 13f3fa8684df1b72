// SPDX-License-Identifier: Apache-2.0
// jitnorm_primitive.hpp: attributes, primitive descriptors and primitives of any kind. Included by jitnorm.hpp; what is
// not said here stands in jitnorm_attr.h and jitnorm.h.
#ifndef JITNORM_PRIMITIVE_HPP
#define JITNORM_PRIMITIVE_HPP

#include <unordered_map>

#include "jitnorm/jitnorm_memory.hpp"

namespace jitnorm {

struct primitive_desc_base;

struct primitive : public handle<jitnorm_primitive_t> {
    enum class kind {
        undef = jitnorm_undefined_primitive,
        sum = jitnorm_sum,
        eltwise = jitnorm_eltwise,
        binary = jitnorm_binary,
        prelu = jitnorm_prelu,
        layer_normalization = jitnorm_layer_normalization
    };

    using handle::handle;
    primitive() = default;
    primitive(const_jitnorm_primitive_desc_t described) {
        jitnorm_primitive_t result;
        error::wrap_c_api(jitnorm_primitive_create(&result, described), "could not create a primitive");
        reset(result);
    }
    primitive(const primitive_desc_base &described);
    // cache_blob: what get_cache_blob() answered.
    primitive(const_jitnorm_primitive_desc_t described, const std::vector<uint8_t> &cache_blob) {
        jitnorm_primitive_t result;
        error::wrap_c_api(
            jitnorm_primitive_create_from_cache_blob(&result, described, cache_blob.size(), cache_blob.data()),
            "could not create a primitive from a cache blob");
        reset(result);
    }
    primitive(const primitive_desc_base &described, const std::vector<uint8_t> &cache_blob);

    // Nothing: there is no need to keep generated code.
    std::vector<uint8_t> get_cache_blob() const {
        size_t size = 0;
        error::wrap_c_api(jitnorm_primitive_get_cache_blob(get(), &size, nullptr), "could not get a cache blob");
        return std::vector<uint8_t>(size);
    }

    const_jitnorm_primitive_desc_t get_primitive_desc() const {
        const_jitnorm_primitive_desc_t result;
        error::wrap_c_api(jitnorm_primitive_get_primitive_desc(get(), &result), "could not get a primitive descriptor");
        return result;
    }

    kind get_kind() const {
        jitnorm_primitive_kind_t result;
        error::wrap_c_api(jitnorm_primitive_desc_query(get_primitive_desc(), jitnorm_query_primitive_kind, 0, &result),
                          "could not get the kind of a primitive");
        return static_cast<kind>(result);
    }

    // args: memory by JITNORM_ARG_*. Allocates nothing.
    void execute(const stream &on, const std::unordered_map<int, memory> &args) const {
        constexpr size_t CAPACITY = 64; // more than any primitive has
        if (args.size() > CAPACITY) throw error(jitnorm_invalid_arguments, "too many execution arguments");
        jitnorm_exec_arg_t list[CAPACITY];
        int count = 0;
        for (const auto &entry : args) list[count++] = {entry.first, entry.second.get(true)};
        error::wrap_c_api(jitnorm_primitive_execute(get(), on.get(), count, list), "could not execute a primitive");
    }
};

struct post_ops : public handle<jitnorm_post_ops_t> {
    using handle::handle;
    post_ops() {
        jitnorm_post_ops_t result;
        error::wrap_c_api(jitnorm_post_ops_create(&result), "could not create post-ops");
        reset(result);
    }
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
        jitnorm_memory_desc_t copy;
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, described), "could not clone a memory descriptor");
        alg = static_cast<algorithm>(kind);
        src1_desc.reset(copy);
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
    primitive_attr() {
        jitnorm_primitive_attr_t result;
        error::wrap_c_api(jitnorm_primitive_attr_create(&result), "could not create attributes");
        reset(result);
    }
    primitive_attr(jitnorm_primitive_attr_t taken_over) : handle(taken_over) {}

    scratchpad_mode get_scratchpad_mode() const {
        jitnorm_scratchpad_mode_t result;
        error::wrap_c_api(jitnorm_primitive_attr_get_scratchpad_mode(get(), &result),
                          "could not get the scratchpad mode");
        return static_cast<scratchpad_mode>(result);
    }
    void set_scratchpad_mode(scratchpad_mode mode) {
        error::wrap_c_api(jitnorm_primitive_attr_set_scratchpad_mode(get(), convert_to_c(mode)),
                          "could not set the scratchpad mode");
    }

    bool get_deterministic() const {
        int result;
        error::wrap_c_api(jitnorm_primitive_attr_get_deterministic(get(), &result), "could not get the determinism");
        return result != 0;
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
        jitnorm_accumulation_mode_t result;
        error::wrap_c_api(jitnorm_primitive_attr_get_accumulation_mode(get(), &result),
                          "could not get the accumulation mode");
        return static_cast<accumulation_mode>(result);
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

    // Empty descriptors and undef where there is no such tensor.
    void get_residual(memory::desc &residual_desc, memory::desc &sum_desc, memory::data_type &bias_data_type,
                      residual_flags &flags) const {
        const_jitnorm_memory_desc_t residual, sum;
        jitnorm_data_type_t type;
        unsigned c_flags;
        error::wrap_c_api(jitnorm_primitive_attr_get_residual(get(), &residual, &sum, &type, &c_flags),
                          "could not get the residual");
        jitnorm_memory_desc_t copy;
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, residual), "could not clone a memory descriptor");
        residual_desc.reset(copy);
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, sum), "could not clone a memory descriptor");
        sum_desc.reset(copy);
        bias_data_type = static_cast<memory::data_type>(type);
        flags = static_cast<residual_flags>(c_flags);
    }
    // An empty sum_desc: the sum is not written; undef: there is no bias.
    void set_residual(const memory::desc &residual_desc, const memory::desc &sum_desc = memory::desc(),
                      memory::data_type bias_data_type = memory::data_type::undef,
                      residual_flags flags = residual_flags::none) {
        error::wrap_c_api(jitnorm_primitive_attr_set_residual(get(), residual_desc.get(), sum_desc.get(),
                                                              memory::convert_to_c(bias_data_type),
                                                              convert_to_c(flags)),
                          "could not set a residual");
    }

    // An empty descriptor: there is no such output.
    memory::desc get_unquantized_dst() const {
        const_jitnorm_memory_desc_t unquantized;
        error::wrap_c_api(jitnorm_primitive_attr_get_unquantized_dst(get(), &unquantized),
                          "could not get the unquantized output");
        jitnorm_memory_desc_t copy;
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, unquantized), "could not clone a memory descriptor");
        memory::desc result;
        result.reset(copy);
        return result;
    }
    void set_unquantized_dst(const memory::desc &unquantized_desc) {
        error::wrap_c_api(jitnorm_primitive_attr_set_unquantized_dst(get(), unquantized_desc.get()),
                          "could not set an unquantized output");
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

struct primitive_desc_base : public handle<jitnorm_primitive_desc_t> {
    using handle::handle;
    primitive_desc_base() = default;

    engine get_engine() const { return engine(query_value<jitnorm_engine_t>(query::engine), true); }
    engine scratchpad_engine() const { return engine(query_value<jitnorm_engine_t>(query::scratchpad_engine), true); }
    const char *impl_info_str() const { return query_value<const char *>(query::impl_info_str); }
    primitive::kind get_kind() const {
        return static_cast<primitive::kind>(query_value<jitnorm_primitive_kind_t>(query::primitive_kind));
    }
    // 0 where there is no such number.
    int64_t query_s64(query what) const {
        int64_t result = 0;
        const jitnorm_status_t status = jitnorm_primitive_desc_query(get(), convert_to_c(what), 0, &result);
        return status == jitnorm_success ? result : 0;
    }

    primitive_attr get_primitive_attr() const {
        const_jitnorm_primitive_attr_t owned;
        error::wrap_c_api(jitnorm_primitive_desc_get_attr(get(), &owned), "could not get attributes");
        jitnorm_primitive_attr_t copy;
        error::wrap_c_api(jitnorm_primitive_attr_clone(&copy, owned), "could not clone attributes");
        return primitive_attr(copy);
    }

    // Nothing, as with primitive::get_cache_blob().
    std::vector<uint8_t> get_cache_blob_id() const {
        return std::vector<uint8_t>(static_cast<size_t>(query_s64(query::cache_blob_id_size_s64)));
    }

    // An empty descriptor where the primitive has no such tensor.
    memory::desc query_md(query what, int index = 0) const {
        const_jitnorm_memory_desc_t owned = jitnorm_primitive_desc_query_md(get(), convert_to_c(what), index);
        if (owned == nullptr) throw error(jitnorm_invalid_arguments, "not a query for a memory descriptor");
        jitnorm_memory_desc_t copy;
        error::wrap_c_api(jitnorm_memory_desc_clone(&copy, owned), "could not clone a memory descriptor");
        return memory::desc(copy);
    }

    memory::desc src_desc(int index = 0) const { return query_md(query::src_md, index); }
    memory::desc dst_desc(int index = 0) const { return query_md(query::dst_md, index); }
    memory::desc weights_desc(int index = 0) const { return query_md(query::weights_md, index); }
    memory::desc diff_src_desc(int index = 0) const { return query_md(query::diff_src_md, index); }
    memory::desc diff_dst_desc(int index = 0) const { return query_md(query::diff_dst_md, index); }
    memory::desc diff_weights_desc(int index = 0) const { return query_md(query::diff_weights_md, index); }
    memory::desc workspace_desc() const { return query_md(query::workspace_md); }
    memory::desc scratchpad_desc() const { return query_md(query::scratchpad_md); }

protected:
    // A clone of the descriptor, which stays its owner's; empty if it is null. Throws invalid_arguments where it is of
    // another primitive or of neither propagation kind.
    primitive_desc_base(const_jitnorm_primitive_desc_t cloned, primitive::kind kind, prop_kind one, prop_kind other) {
        if (cloned == nullptr) return;
        jitnorm_primitive_desc_t clone;
        error::wrap_c_api(jitnorm_primitive_desc_clone(&clone, cloned), "could not clone a primitive descriptor");
        reset(clone);
        if (get_kind() != kind) throw error(jitnorm_invalid_arguments, "the primitive descriptor is of another kind");
        const auto direction = static_cast<prop_kind>(query_value<jitnorm_prop_kind_t>(query::prop_kind));
        if (direction != one && direction != other)
            throw error(jitnorm_invalid_arguments, "the primitive descriptor is of another propagation kind");
    }

    template <typename T>
    T query_value(query what) const {
        T result;
        error::wrap_c_api(jitnorm_primitive_desc_query(get(), convert_to_c(what), 0, &result),
                          "could not query a primitive descriptor");
        return result;
    }

    // What a create function answered; with allow_empty, a failure makes an empty handle.
    void take(jitnorm_primitive_desc_t result, jitnorm_status_t status, bool allow_empty) {
        if (!allow_empty) error::wrap_c_api(status, "could not create a primitive descriptor");
        reset(result);
    }
};

struct primitive_desc : public primitive_desc_base {
    using primitive_desc_base::primitive_desc_base;
    primitive_desc() = default;

    // False when there is no further implementation.
    bool next_impl() {
        const jitnorm_status_t status = jitnorm_primitive_desc_next_impl(get());
        if (status == jitnorm_last_impl_reached) return false;
        error::wrap_c_api(status, "could not move to the next implementation");
        return true;
    }
};

inline primitive::primitive(const primitive_desc_base &described) : primitive(described.get()) {}
inline primitive::primitive(const primitive_desc_base &described, const std::vector<uint8_t> &cache_blob)
    : primitive(described.get(), cache_blob) {}

} // namespace jitnorm

#endif
