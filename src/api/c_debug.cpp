// SPDX-License-Identifier: Apache-2.0
// C interface: tables of the names of its values.
#include <algorithm>
#include <iterator>
#include <utility>

#include "../tensor/names.hpp"
#include "jitnorm/jitnorm_debug.h"

using namespace jitnorm::impl;

namespace {

template <typename Value>
using named = std::pair<Value, const char *>;

template <typename Value, size_t Count>
const char *name_in(const named<Value> (&table)[Count], Value value) {
    const auto *found = std::ranges::find(table, value, &named<Value>::first);
    return found == std::end(table) ? "unknown" : found->second;
}

} // namespace

// Defines the function that names the values of a type. The rows of its table follow.
#define NAMES(function, type, ...)                                                                                     \
    const char *function(type value) {                                                                                 \
        static constexpr named<type> TABLE[] = {__VA_ARGS__};                                                          \
        return name_in(TABLE, value);                                                                                  \
    }
#define NAMED(name)                                                                                                    \
    { jitnorm_##name, #name }
// The same for values whose names begin with that of their type, which is left out.
#define VALUE(type, name)                                                                                              \
    { jitnorm_##type##_##name, #name }

NAMES(jitnorm_status2str, jitnorm_status_t, NAMED(success), NAMED(out_of_memory), NAMED(invalid_arguments),
      NAMED(unimplemented), NAMED(last_impl_reached), NAMED(runtime_error), NAMED(not_required), NAMED(invalid_graph),
      NAMED(invalid_graph_op), NAMED(invalid_shape), NAMED(invalid_data_type))

NAMES(jitnorm_fmt_kind2str, jitnorm_format_kind_t, VALUE(format_kind, undef), VALUE(format_kind, any), NAMED(blocked),
      VALUE(format_kind, host_scalar))

NAMES(jitnorm_prop_kind2str, jitnorm_prop_kind_t, VALUE(prop_kind, undef), NAMED(forward_training),
      NAMED(forward_inference), NAMED(backward), NAMED(backward_data), NAMED(backward_weights), NAMED(backward_bias))

NAMES(jitnorm_prim_kind2str, jitnorm_primitive_kind_t, {jitnorm_undefined_primitive, "undef"}, NAMED(sum),
      NAMED(eltwise), NAMED(binary), NAMED(prelu), NAMED(layer_normalization))

NAMES(jitnorm_engine_kind2str, jitnorm_engine_kind_t, {jitnorm_any_engine, "any"}, NAMED(cpu), NAMED(gpu))

NAMES(jitnorm_scratchpad_mode2str, jitnorm_scratchpad_mode_t, VALUE(scratchpad_mode, library),
      VALUE(scratchpad_mode, user))

NAMES(jitnorm_fpmath_mode2str, jitnorm_fpmath_mode_t, VALUE(fpmath_mode, strict), VALUE(fpmath_mode, bf16),
      VALUE(fpmath_mode, f16), VALUE(fpmath_mode, any), VALUE(fpmath_mode, tf32))

NAMES(jitnorm_accumulation_mode2str, jitnorm_accumulation_mode_t, VALUE(accumulation_mode, strict),
      VALUE(accumulation_mode, relaxed), VALUE(accumulation_mode, any), VALUE(accumulation_mode, s32),
      VALUE(accumulation_mode, f32), VALUE(accumulation_mode, f16))

NAMES(jitnorm_rounding_mode2str, jitnorm_rounding_mode_t, VALUE(rounding_mode, environment),
      VALUE(rounding_mode, stochastic))

NAMES(jitnorm_quantization_mode2str, jitnorm_quantization_mode_t, VALUE(quantization_mode, undef),
      VALUE(quantization_mode, static_sazp), VALUE(quantization_mode, dynamic_mx), VALUE(quantization_mode, dynamic_fp),
      VALUE(quantization_mode, dynamic_amax))

NAMES(jitnorm_cpu_isa2str, jitnorm_cpu_isa_t, NAMED(cpu_isa_default), NAMED(cpu_isa_sse41), NAMED(cpu_isa_avx),
      NAMED(cpu_isa_avx2), NAMED(cpu_isa_avx2_vnni), NAMED(cpu_isa_avx2_vnni_2), NAMED(cpu_isa_avx512_core),
      NAMED(cpu_isa_avx512_core_vnni), NAMED(cpu_isa_avx512_core_bf16), NAMED(cpu_isa_avx10_1_512),
      NAMED(cpu_isa_avx10_1_512_amx), NAMED(cpu_isa_avx10_1_512_amx_fp16), NAMED(cpu_isa_avx10_2_512),
      NAMED(cpu_isa_avx10_2_512_amx_2))

NAMES(jitnorm_cpu_isa_hints2str, jitnorm_cpu_isa_hints_t, NAMED(cpu_isa_no_hints), NAMED(cpu_isa_prefer_ymm))

NAMES(jitnorm_runtime2str, unsigned, {JITNORM_RUNTIME_SEQ, "sequential"}, {JITNORM_RUNTIME_OMP, "OpenMP"})

const char *jitnorm_alg_kind2str(jitnorm_alg_kind_t value) {
    static constexpr named<jitnorm_alg_kind_t> TABLE[] = {
        {jitnorm_alg_kind_undef, "undef"},
#define ELTWISE(name, number) {jitnorm_eltwise_##name, "eltwise_" #name},
#include "../../tables/eltwise.inc"
#define BINARY(name, number) {jitnorm_binary_##name, "binary_" #name},
#include "../../tables/binary.inc"
    };
    return name_in(TABLE, value);
}

const char *jitnorm_dt2str(jitnorm_data_type_t value) {
    return value == jitnorm_data_type_undef || size_of(value) != 0 ? text_of(value) : "unknown";
}

const char *jitnorm_fmt_tag2str(jitnorm_format_tag_t value) {
    if (value == jitnorm_format_tag_undef) return "undef";
    if (value == jitnorm_format_tag_any) return "any";
    const std::string_view name = tag_name(value); // a literal, which ends with a zero
    return name.empty() ? "unknown" : name.data();
}
