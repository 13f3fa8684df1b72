// SPDX-License-Identifier: Apache-2.0
// C interface: tables of the names of its values.
#include <algorithm>
#include <iterator>

#include "../tensor/names.hpp"
#include "jitnorm/jitnorm_debug.h"

using namespace jitnorm::impl;

namespace {

template <typename Value>
struct named {
    Value value;
    const char *name;
};

#define NAMED(name)                                                                                                    \
    { jitnorm_##name, #name }

constexpr named<jitnorm_status_t> STATUSES[] = {
    NAMED(success),           NAMED(out_of_memory), NAMED(invalid_arguments), NAMED(unimplemented),
    NAMED(last_impl_reached), NAMED(runtime_error), NAMED(not_required),      NAMED(invalid_graph),
    NAMED(invalid_graph_op),  NAMED(invalid_shape), NAMED(invalid_data_type),
};

constexpr named<jitnorm_format_kind_t> FORMAT_KINDS[] = {
    {jitnorm_format_kind_undef, "undef"},
    {jitnorm_format_kind_any, "any"},
    NAMED(blocked),
    {jitnorm_format_kind_host_scalar, "host_scalar"},
};

constexpr named<jitnorm_prop_kind_t> PROP_KINDS[] = {
    {jitnorm_prop_kind_undef, "undef"},
    NAMED(forward_training),
    NAMED(forward_inference),
    NAMED(backward),
    NAMED(backward_data),
    NAMED(backward_weights),
    NAMED(backward_bias),
};

constexpr named<jitnorm_primitive_kind_t> PRIMITIVE_KINDS[] = {
    {jitnorm_undefined_primitive, "undef"},
    NAMED(sum),
    NAMED(eltwise),
    NAMED(binary),
    NAMED(prelu),
    NAMED(layer_normalization),
};

constexpr named<jitnorm_alg_kind_t> ALGORITHMS[] = {
    {jitnorm_alg_kind_undef, "undef"},
#define ELTWISE(name, number) {jitnorm_eltwise_##name, "eltwise_" #name},
#include "../../tables/eltwise.inc"
#define BINARY(name, number) {jitnorm_binary_##name, "binary_" #name},
#include "../../tables/binary.inc"
};

constexpr named<jitnorm_engine_kind_t> ENGINE_KINDS[] = {{jitnorm_any_engine, "any"}, NAMED(cpu), NAMED(gpu)};

constexpr named<jitnorm_scratchpad_mode_t> SCRATCHPAD_MODES[] = {
    {jitnorm_scratchpad_mode_library, "library"},
    {jitnorm_scratchpad_mode_user, "user"},
};

constexpr named<jitnorm_cpu_isa_t> ISAS[] = {
    NAMED(cpu_isa_default),
    NAMED(cpu_isa_sse41),
    NAMED(cpu_isa_avx),
    NAMED(cpu_isa_avx2),
    NAMED(cpu_isa_avx2_vnni),
    NAMED(cpu_isa_avx2_vnni_2),
    NAMED(cpu_isa_avx512_core),
    NAMED(cpu_isa_avx512_core_vnni),
    NAMED(cpu_isa_avx512_core_bf16),
    NAMED(cpu_isa_avx10_1_512),
    NAMED(cpu_isa_avx10_1_512_amx),
    NAMED(cpu_isa_avx10_1_512_amx_fp16),
    NAMED(cpu_isa_avx10_2_512),
    NAMED(cpu_isa_avx10_2_512_amx_2),
};

constexpr named<jitnorm_cpu_isa_hints_t> ISA_HINTS[] = {NAMED(cpu_isa_no_hints), NAMED(cpu_isa_prefer_ymm)};

// The names of the values of an attribute's mode, without the name of the mode in front.
#define VALUE(mode, name)                                                                                              \
    { jitnorm_##mode##_##name, #name }

constexpr named<jitnorm_fpmath_mode_t> FPMATH_MODES[] = {
    VALUE(fpmath_mode, strict), VALUE(fpmath_mode, bf16), VALUE(fpmath_mode, f16),
    VALUE(fpmath_mode, any),    VALUE(fpmath_mode, tf32),
};

constexpr named<jitnorm_accumulation_mode_t> ACCUMULATION_MODES[] = {
    VALUE(accumulation_mode, strict), VALUE(accumulation_mode, relaxed), VALUE(accumulation_mode, any),
    VALUE(accumulation_mode, s32),    VALUE(accumulation_mode, f32),     VALUE(accumulation_mode, f16),
};

constexpr named<jitnorm_rounding_mode_t> ROUNDING_MODES[] = {
    VALUE(rounding_mode, environment),
    VALUE(rounding_mode, stochastic),
};

constexpr named<jitnorm_quantization_mode_t> QUANTIZATION_MODES[] = {
    VALUE(quantization_mode, undef),      VALUE(quantization_mode, static_sazp),  VALUE(quantization_mode, dynamic_mx),
    VALUE(quantization_mode, dynamic_fp), VALUE(quantization_mode, dynamic_amax),
};

constexpr named<unsigned> RUNTIMES[] = {{JITNORM_RUNTIME_SEQ, "sequential"}, {JITNORM_RUNTIME_OMP, "OpenMP"}};

#undef NAMED
#undef VALUE

template <typename Table, typename Value>
const char *name_in(const Table &table, Value value) {
    const auto found = std::find_if(std::begin(table), std::end(table), [&](auto &row) { return row.value == value; });
    return found == std::end(table) ? "unknown" : found->name;
}

} // namespace

const char *jitnorm_status2str(jitnorm_status_t value) { return name_in(STATUSES, value); }
const char *jitnorm_dt2str(jitnorm_data_type_t value) {
    return value == jitnorm_data_type_undef || size_of(value) != 0 ? text_of(value) : "unknown";
}
const char *jitnorm_fmt_kind2str(jitnorm_format_kind_t value) { return name_in(FORMAT_KINDS, value); }
const char *jitnorm_prop_kind2str(jitnorm_prop_kind_t value) { return name_in(PROP_KINDS, value); }
const char *jitnorm_prim_kind2str(jitnorm_primitive_kind_t value) { return name_in(PRIMITIVE_KINDS, value); }
const char *jitnorm_alg_kind2str(jitnorm_alg_kind_t value) { return name_in(ALGORITHMS, value); }
const char *jitnorm_engine_kind2str(jitnorm_engine_kind_t value) { return name_in(ENGINE_KINDS, value); }
const char *jitnorm_scratchpad_mode2str(jitnorm_scratchpad_mode_t value) { return name_in(SCRATCHPAD_MODES, value); }
const char *jitnorm_fpmath_mode2str(jitnorm_fpmath_mode_t value) { return name_in(FPMATH_MODES, value); }
const char *jitnorm_accumulation_mode2str(jitnorm_accumulation_mode_t value) {
    return name_in(ACCUMULATION_MODES, value);
}
const char *jitnorm_rounding_mode2str(jitnorm_rounding_mode_t value) { return name_in(ROUNDING_MODES, value); }
const char *jitnorm_quantization_mode2str(jitnorm_quantization_mode_t value) {
    return name_in(QUANTIZATION_MODES, value);
}
const char *jitnorm_cpu_isa2str(jitnorm_cpu_isa_t value) { return name_in(ISAS, value); }
const char *jitnorm_cpu_isa_hints2str(jitnorm_cpu_isa_hints_t value) { return name_in(ISA_HINTS, value); }
const char *jitnorm_runtime2str(unsigned value) { return name_in(RUNTIMES, value); }

const char *jitnorm_fmt_tag2str(jitnorm_format_tag_t value) {
    if (value == jitnorm_format_tag_undef) return "undef";
    if (value == jitnorm_format_tag_any) return "any";
    const std::string_view name = tag_name(value); // a literal, which ends with a zero
    return name.empty() ? "unknown" : name.data();
}
