// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <strings.h>

#include <xbyak/xbyak_util.h>

#include "../base/environment.hpp"
#include "../base/process.hpp"

namespace jitnorm::impl::jit {

namespace {

using Xbyak::util::Cpu;

constinit process_wide<const Cpu> processor;

isa best_of(const Cpu &cpu) {
    if (!cpu.has(Cpu::tAVX2 | Cpu::tFMA | Cpu::tF16C)) return isa::none;
    const bool avx512 = cpu.has(Cpu::tAVX512F | Cpu::tAVX512BW | Cpu::tAVX512DQ | Cpu::tAVX512VL);
    return avx512 ? isa::avx512 : isa::avx2;
}

// The values of the cap, their names in the environment, if they have some, and the kernels that they allow.
struct known_cap {
    jitnorm_cpu_isa_t value;
    isa best;
    const char *name = "";
};
constexpr known_cap CAPS[] = {{jitnorm_cpu_isa_default, isa::avx512, "DEFAULT"},
                              {jitnorm_cpu_isa_default, isa::avx512, "ALL"},
                              {jitnorm_cpu_isa_sse41, isa::none, "SSE41"},
                              {jitnorm_cpu_isa_avx, isa::none, "AVX"},
                              {jitnorm_cpu_isa_avx2, isa::avx2, "AVX2"},
                              {jitnorm_cpu_isa_avx2_vnni, isa::avx2, "AVX2_VNNI"},
                              {jitnorm_cpu_isa_avx2_vnni_2, isa::avx2, "AVX2_VNNI_2"},
                              {jitnorm_cpu_isa_avx512_core, isa::avx512, "AVX512_CORE"},
                              {jitnorm_cpu_isa_avx512_core_vnni, isa::avx512, "AVX512_CORE_VNNI"},
                              {jitnorm_cpu_isa_avx512_core_bf16, isa::avx512, "AVX512_CORE_BF16"},
                              {jitnorm_cpu_isa_avx512_core_fp16, isa::avx512, "AVX512_CORE_FP16"},
                              {jitnorm_cpu_isa_avx512_core_amx, isa::avx512, "AVX512_CORE_AMX"},
                              {jitnorm_cpu_isa_avx512_core_amx_fp16, isa::avx512, "AVX512_CORE_AMX_FP16"},
                              {jitnorm_cpu_isa_avx10_1_512, isa::avx512, "AVX10_1_512"},
                              {jitnorm_cpu_isa_avx10_1_512_amx, isa::avx512, "AVX10_1_512_AMX"},
                              {jitnorm_cpu_isa_avx10_1_512_amx_fp16, isa::avx512, "AVX10_1_512_AMX_FP16"},
                              {jitnorm_cpu_isa_avx10_2_512, isa::avx512},
                              {jitnorm_cpu_isa_avx10_2_512_amx_2, isa::avx512}};

template <typename Predicate>
std::optional<isa> best_where(Predicate &&holds) {
    const auto *const found = std::ranges::find_if(CAPS, holds);
    return found == std::end(CAPS) ? std::nullopt : std::optional(found->best);
}

// The cap as an isa, or INVALID for an unknown name in the environment.
constexpr int INVALID = -1;

constexpr int NOT_READ = -2;
constinit std::atomic<int> cap_if_read = NOT_READ;

// If another thread sets a cap meanwhile, that cap stays.
int current_cap() {
    int cap = cap_if_read.load(std::memory_order_relaxed);
    if (cap != NOT_READ) return cap;
    const char *const name = the_environment().max_cpu_isa;
    std::optional<isa> named = isa::avx512; // no name is no cap
    if (*name != '\0') named = best_where([&](const known_cap &c) { return strcasecmp(c.name, name) == 0; });
    const int read = named ? int(*named) : INVALID;
    return cap_if_read.compare_exchange_strong(cap, read, std::memory_order_relaxed) ? read : cap;
}

} // namespace

bool is_allowed(isa wanted) { return wanted <= best_of(processor.get()) && int(wanted) <= current_cap(); }

bool has_avx512_bf16() { return processor.get().has(Cpu::tAVX512_BF16); }
bool has_avx512_vbmi() { return processor.get().has(Cpu::tAVX512_VBMI); }

jitnorm_status_t set_max_isa(jitnorm_cpu_isa_t cap) {
    const auto wanted = best_where([&](const known_cap &c) { return c.value == cap; });
    if (!wanted) return jitnorm_invalid_arguments;
    cap_if_read.store(int(*wanted), std::memory_order_relaxed);
    return jitnorm_success;
}

jitnorm_cpu_isa_t effective_isa() {
    if (is_allowed(isa::avx512)) return jitnorm_cpu_isa_avx512_core;
    return is_allowed(isa::avx2) ? jitnorm_cpu_isa_avx2 : jitnorm_cpu_isa_sse41;
}

bool isa_cap_is_valid() { return current_cap() != INVALID; }

name_list isa_cap_names() {
    name_list names;
    for (const known_cap &known : CAPS)
        if (*known.name != '\0') names.add(known.name);
    return names;
}

} // namespace jitnorm::impl::jit
