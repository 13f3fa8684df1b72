// SPDX-License-Identifier: Apache-2.0
// The cap on instruction sets, the environment, the cache's capacity, the version and the names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include <unistd.h>

#include "support/execution.hpp"
#include "support/undefined.hpp"

using namespace jitnorm::tests;

namespace {

owned_pd make_pd() { return forward_pd(jitnorm_forward_inference, {3, 8}); }

jitnorm_status_t status_of_creation() {
    const owned_md data = make_md({3, 8}, jitnorm_f32);
    return status_of(forward_request{jitnorm_forward_inference, data, data});
}

TEST(isa, cap_changes_what_is_chosen) {
    const jitnorm_cpu_isa_t best = jitnorm_get_effective_cpu_isa();
    ASSERT_OK(jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_sse41));
    EXPECT_STREQ(implementation_of(make_pd()), "ref:any");
    EXPECT_EQ(jitnorm_set_max_cpu_isa(undefined<jitnorm_cpu_isa_t>(0x1234)), INVALID);
    EXPECT_EQ(jitnorm_get_effective_cpu_isa(), jitnorm_cpu_isa_sse41) << "an error changes nothing";
    ASSERT_OK(jitnorm_set_max_cpu_isa(best));
    EXPECT_EQ(jitnorm_get_effective_cpu_isa(), best);
}

// Every value of oneDNN's that makes a difference here.
TEST(isa, caps_are_those_of_onednn) {
    const jitnorm_cpu_isa_t best = jitnorm_get_effective_cpu_isa();
    const std::pair<jitnorm_cpu_isa_t, jitnorm_cpu_isa_t> caps[] = {
        {jitnorm_cpu_isa_avx, jitnorm_cpu_isa_sse41},
        {jitnorm_cpu_isa_avx2_vnni, jitnorm_cpu_isa_avx2},
        {jitnorm_cpu_isa_avx2_vnni_2, jitnorm_cpu_isa_avx2},
        {jitnorm_cpu_isa_avx512_core_vnni, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx512_core_bf16, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx512_core_fp16, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx512_core_amx, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx512_core_amx_fp16, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx10_2_512, jitnorm_cpu_isa_avx512_core},
        {jitnorm_cpu_isa_avx10_2_512_amx_2, jitnorm_cpu_isa_avx512_core},
    };
    for (const auto &[cap, counts_as] : caps) {
        EXPECT_OK(jitnorm_set_max_cpu_isa(cap)) << jitnorm_cpu_isa2str(cap);
        EXPECT_EQ(jitnorm_get_effective_cpu_isa(), std::min(counts_as, best)) << jitnorm_cpu_isa2str(cap);
        execution run(make_pd());
        EXPECT_OK(run.run()) << jitnorm_cpu_isa2str(cap);
    }
    ASSERT_OK(jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default));
}

TEST(isa, hints_are_kept) {
    EXPECT_EQ(jitnorm_get_cpu_isa_hints(), jitnorm_cpu_isa_no_hints);
    EXPECT_OK(jitnorm_set_cpu_isa_hints(jitnorm_cpu_isa_prefer_ymm));
    EXPECT_EQ(jitnorm_get_cpu_isa_hints(), jitnorm_cpu_isa_prefer_ymm);
    EXPECT_EQ(jitnorm_set_cpu_isa_hints(undefined<jitnorm_cpu_isa_hints_t>(2)), INVALID);
    EXPECT_OK(jitnorm_set_cpu_isa_hints(jitnorm_cpu_isa_no_hints));
}

// ---------------------------------------------------------------- environment: each in a process of its own

// Prints the reason where death tests look.
[[noreturn]] void exit_with_status_of_creation(const char *variable, const char *value, const char *other = "UNUSED",
                                               const char *value_of_other = "") {
    setenv(variable, value, 1);
    setenv(other, value_of_other, 1);
    const jitnorm_status_t status = status_of_creation();
    std::fprintf(stderr, "%s\n", jitnorm_get_last_error());
    std::exit(status);
}

// Unknown ones are answered by those that there are.
TEST(environment, names_must_be_known) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto exits_with = [](jitnorm_status_t status) { return testing::ExitedWithCode(status); };
    EXPECT_EXIT(exit_with_status_of_creation("JITNORM_IMPL", "ref:any"), exits_with(jitnorm_success), "");
    for (const char *isa : {"SSE41", "AVX", "AVX2_VNNI", "AVX2_VNNI_2", "AVX512_CORE_VNNI", "AVX512_CORE_BF16",
                            "AVX512_CORE_FP16", "AVX512_CORE_AMX", "AVX512_CORE_AMX_FP16", "avx10_1_512", "ALL"})
        EXPECT_EXIT(exit_with_status_of_creation("JITNORM_MAX_CPU_ISA", isa), exits_with(jitnorm_success), "") << isa;
    EXPECT_EXIT(exit_with_status_of_creation("JITNORM_IMPL", "ref:none"), exits_with(jitnorm_runtime_error),
                "unknown implementation 'ref:none' in JITNORM_IMPL; known: jit:avx512, jit:avx2, ref:any");
    EXPECT_EXIT(exit_with_status_of_creation("JITNORM_MAX_CPU_ISA", "AVX9"), exits_with(jitnorm_runtime_error),
                "unknown instruction set 'AVX9' in JITNORM_MAX_CPU_ISA; known: DEFAULT, ALL, SSE41, AVX, AVX2, .*, "
                "AVX10_1_512_AMX_FP16");
    EXPECT_EXIT(exit_with_status_of_creation("JITNORM_MAX_CPU_ISA", "SSE41", "JITNORM_IMPL", "jit:avx2"),
                exits_with(jitnorm_unimplemented),
                "jit:avx2, which JITNORM_IMPL or jitnorm_set_implementation asks for, does not do it: the processor or "
                "the cap on instruction sets does not allow it");
    EXPECT_EQ(jitnorm_set_implementation("ref:none"), INVALID);
    EXPECT_STREQ(jitnorm_get_last_error(), "unknown implementation 'ref:none'; known: jit:avx512, jit:avx2, ref:any");
}

// What was set takes precedence over what the environment says, before its first use and after.
[[noreturn]] void exit_with_status_where_set() {
    setenv("JITNORM_IMPL", "ref:none", 1);
    setenv("JITNORM_MAX_CPU_ISA", "AVX9", 1);
    jitnorm_set_implementation("ref:any");
    if (status_of_creation() != jitnorm_runtime_error) std::exit(100);
    jitnorm_set_max_cpu_isa(jitnorm_cpu_isa_default);
    setenv("JITNORM_IMPL", "ref:none again", 1);
    if (jitnorm_set_implementation("ref:none") != INVALID) std::exit(101);
    std::exit(status_of_creation());
}

TEST(environment, functions_take_precedence) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(exit_with_status_where_set(), testing::ExitedWithCode(jitnorm_success), "");
}

TEST(cache, capacity_is_what_was_set) {
    int before = -1, now = -1;
    ASSERT_OK(jitnorm_get_primitive_cache_capacity(&before));
    EXPECT_GT(before, 0);
    for (const int capacity : {0, 5, before}) {
        EXPECT_OK(jitnorm_set_primitive_cache_capacity(capacity));
        EXPECT_OK(jitnorm_get_primitive_cache_capacity(&now));
        EXPECT_EQ(now, capacity);
    }
    EXPECT_EQ(jitnorm_set_primitive_cache_capacity(-1), INVALID);
    EXPECT_OK(jitnorm_get_primitive_cache_capacity(&now));
    EXPECT_EQ(now, before);
}

TEST(version, is_the_headers) {
    const jitnorm_version_t *version = jitnorm_version();
    EXPECT_EQ(version->major, JITNORM_VERSION_MAJOR);
    EXPECT_EQ(version->minor, JITNORM_VERSION_MINOR);
    EXPECT_EQ(version->patch, JITNORM_VERSION_PATCH);
    EXPECT_NE(std::string(version->hash), "");
    EXPECT_EQ(version->cpu_runtime, JITNORM_CPU_RUNTIME);
}

TEST(names, of_values) {
    EXPECT_STREQ(jitnorm_status2str(jitnorm_invalid_data_type), "invalid_data_type");
    EXPECT_STREQ(jitnorm_dt2str(jitnorm_data_type_undef), "undef");
    EXPECT_STREQ(jitnorm_fmt_kind2str(jitnorm_blocked), "blocked");
    EXPECT_STREQ(jitnorm_fmt_kind2str(jitnorm_format_kind_any), "any");
    EXPECT_STREQ(jitnorm_fmt_tag2str(jitnorm_format_tag_undef), "undef");
    EXPECT_STREQ(jitnorm_fmt_tag2str(jitnorm_format_tag_any), "any");
    EXPECT_STREQ(jitnorm_fmt_tag2str(jitnorm_ntc), "bac");
    EXPECT_STREQ(jitnorm_prop_kind2str(jitnorm_backward_data), "backward_data");
    EXPECT_STREQ(jitnorm_prim_kind2str(jitnorm_layer_normalization), "layer_normalization");
    EXPECT_STREQ(jitnorm_alg_kind2str(jitnorm_eltwise_gelu_erf), "eltwise_gelu_erf");
    EXPECT_STREQ(jitnorm_engine_kind2str(jitnorm_any_engine), "any");
    EXPECT_STREQ(jitnorm_scratchpad_mode2str(jitnorm_scratchpad_mode_user), "user");
    EXPECT_STREQ(jitnorm_cpu_isa2str(jitnorm_cpu_isa_avx512_core), "cpu_isa_avx512_core");
    EXPECT_STREQ(jitnorm_fpmath_mode2str(jitnorm_fpmath_mode_tf32), "tf32");
    EXPECT_STREQ(jitnorm_accumulation_mode2str(jitnorm_accumulation_mode_relaxed), "relaxed");
    EXPECT_STREQ(jitnorm_rounding_mode2str(jitnorm_rounding_mode_stochastic), "stochastic");
    EXPECT_STREQ(jitnorm_quantization_mode2str(jitnorm_quantization_mode_static_sazp), "static_sazp");
    EXPECT_STREQ(jitnorm_cpu_isa_hints2str(jitnorm_cpu_isa_prefer_ymm), "cpu_isa_prefer_ymm");
    EXPECT_STREQ(jitnorm_runtime2str(JITNORM_RUNTIME_OMP), "OpenMP");
    EXPECT_STREQ(jitnorm_runtime2str(JITNORM_RUNTIME_SEQ), "sequential");
}

// The numbers of tables/, and 0, which is undef.
const std::set<int> DATA_TYPE_NUMBERS = {
    0,
#define DATA_TYPE(name, number, ...) number,
#include "../../tables/data_types.inc"
};
const std::set<int> ALGORITHM_NUMBERS = {
    0,
#define ELTWISE(name, number) number,
#include "../../tables/eltwise.inc"
#define BINARY(name, number) number,
#include "../../tables/binary.inc"
};

bool is_known(const char *name) { return std::string(name) != "unknown"; }

// The numbers that have a name.
template <typename Value>
std::set<int> named(const char *(*name_of)(Value)) {
    std::set<int> numbers;
    for (int v = -1; v <= 0x80001; ++v)
        if (is_known(name_of(undefined<Value>(v)))) numbers.insert(v);
    return numbers;
}

// Each value has a name, and no other number has.
TEST(names, are_complete) {
    EXPECT_EQ(named(jitnorm_status2str), (std::set{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    for (int v = 0; v <= jitnorm_format_tag_last; ++v)
        EXPECT_EQ(is_known(jitnorm_fmt_tag2str(jitnorm_format_tag_t(v))), v < jitnorm_format_tag_last) << v;
    EXPECT_EQ(named(jitnorm_dt2str), DATA_TYPE_NUMBERS);
    EXPECT_EQ(named(jitnorm_alg_kind2str), ALGORITHM_NUMBERS);
    EXPECT_EQ(named(jitnorm_fpmath_mode2str), (std::set{0, 1, 2, 3, 4}));
    EXPECT_EQ(named(jitnorm_accumulation_mode2str), (std::set{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(named(jitnorm_rounding_mode2str), (std::set{0, 1}));
    EXPECT_EQ(named(jitnorm_quantization_mode2str), (std::set{0, 1, 2, 3, 0x1000}));
    EXPECT_EQ(named(jitnorm_cpu_isa_hints2str), (std::set{0, 1}));
    EXPECT_FALSE(is_known(jitnorm_fmt_tag2str(undefined<jitnorm_format_tag_t>(-1))));
    EXPECT_FALSE(is_known(jitnorm_runtime2str(77)));
}

} // namespace
