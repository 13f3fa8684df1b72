// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <strings.h>

#include <xbyak/xbyak_util.h>

namespace jitnorm::impl::jit {

namespace {

isa detect() {
    using Xbyak::util::Cpu;
    const Cpu cpu;
    if (!cpu.has(Cpu::tAVX2) || !cpu.has(Cpu::tFMA) || !cpu.has(Cpu::tF16C)) return isa::none;
    const bool avx512 =
        cpu.has(Cpu::tAVX512F) && cpu.has(Cpu::tAVX512BW) && cpu.has(Cpu::tAVX512DQ) && cpu.has(Cpu::tAVX512VL);
    return avx512 ? isa::avx512 : isa::avx2;
}

std::optional<isa> cap_of(jitnorm_cpu_isa_t cap) {
    switch (cap) {
    case jitnorm_cpu_isa_sse41:
        return isa::none;
    case jitnorm_cpu_isa_avx2:
        return isa::avx2;
    case jitnorm_cpu_isa_avx512_core:
    case jitnorm_cpu_isa_default:
        return isa::avx512;
    }
    return std::nullopt;
}

std::optional<isa> cap_named(const char *name) {
    struct entry {
        const char *name;
        jitnorm_cpu_isa_t cap;
    };
    static constexpr entry entries[] = {{"", jitnorm_cpu_isa_default},
                                        {"DEFAULT", jitnorm_cpu_isa_default},
                                        {"SSE41", jitnorm_cpu_isa_sse41},
                                        {"AVX2", jitnorm_cpu_isa_avx2},
                                        {"AVX512_CORE", jitnorm_cpu_isa_avx512_core}};
    for (const entry &e : entries)
        if (strcasecmp(e.name, name) == 0) return cap_of(e.cap);
    return std::nullopt;
}

// The cap as an isa, or INVALID for an unknown name in the environment.
constexpr int INVALID = -1;

std::atomic<int> &current_cap() {
    static std::atomic<int> cap{[] {
        const char *name = std::getenv("JITNORM_MAX_CPU_ISA");
        const auto named = cap_named(name ? name : "");
        return named ? int(*named) : INVALID;
    }()};
    return cap;
}

} // namespace

bool is_allowed(isa wanted) {
    static const isa detected = detect();
    return wanted <= detected && int(wanted) <= current_cap().load(std::memory_order_relaxed);
}

bool has_avx512_bf16() {
    static const bool detected = Xbyak::util::Cpu().has(Xbyak::util::Cpu::tAVX512_BF16);
    return detected;
}

jitnorm_status_t set_max_isa(jitnorm_cpu_isa_t cap) {
    const auto wanted = cap_of(cap);
    if (!wanted) return jitnorm_invalid_arguments;
    current_cap().store(int(*wanted), std::memory_order_relaxed);
    return jitnorm_success;
}

jitnorm_cpu_isa_t effective_isa() {
    if (is_allowed(isa::avx512)) return jitnorm_cpu_isa_avx512_core;
    return is_allowed(isa::avx2) ? jitnorm_cpu_isa_avx2 : jitnorm_cpu_isa_sse41;
}

bool isa_cap_is_valid() { return current_cap().load(std::memory_order_relaxed) != INVALID; }

} // namespace jitnorm::impl::jit
