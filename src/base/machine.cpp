// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <atomic>

#include <cpuid.h>

#include "environment.hpp"
#include "process.hpp"
#include "verbose.hpp"

namespace jitnorm::impl {

namespace {

// ---- the processor's answers. Intel's leaf 4 and AMD's leaf 0x8000001D have the same layout: one subleaf for each
// cache, and after the last one a subleaf of type 0.

constexpr uint32_t INTEL_CACHES = 4, AMD_CACHES = 0x8000'001D;
constexpr uint32_t MOST_SUBLEAVES = 16; // ends the loop if no subleaf has type 0
constexpr uint32_t NO_CACHE = 0, INSTRUCTIONS = 2;

constexpr uint32_t bits(uint32_t value, int from, int to) { return value >> from & ((2U << (to - from)) - 1); }

// A product of 2^64 becomes 0, sizes from 2^63 on negative: nonsense, as the answers are, which machine_of() ignores.
cache cache_in(const cpuid_registers &r) {
    const uint64_t line = bits(r.ebx, 0, 11) + 1, partitions = bits(r.ebx, 12, 21) + 1, ways = bits(r.ebx, 22, 31) + 1;
    const uint64_t sets = uint64_t(r.ecx) + 1;
    return {dim_t(line * partitions * ways * sets), int(bits(r.eax, 14, 25)) + 1};
}

cache_levels levels_in(cpuid_function cpuid, uint32_t leaf) {
    cache_levels levels;
    cpuid_registers r;
    for (uint32_t i = 0; i < MOST_SUBLEAVES && cpuid(leaf, i, r); ++i) {
        const uint32_t type = bits(r.eax, 0, 4), level = bits(r.eax, 5, 7);
        if (type == NO_CACHE) break;
        if (type != INSTRUCTIONS && level >= 1 && level <= CACHE_LEVELS) levels[level - 1] = cache_in(r);
    }
    return levels;
}

constexpr dim_t KB = 1024, MB = 1024 * KB;

// ---- processors

struct models {
    uint32_t first = 1, last = 0; // none
};
constexpr models ALL = {0, 255};

// The first row that a processor fits in is its own. A new processor is a new row (docs/recipes.md, "A processor");
// docs/measurements.md has the figures for the numbers. Nothing else asks which processor this is.
struct processor {
    bool is_zen;           // of AMD or Hygon, which builds AMD's Zen
    uint32_t first_family; // this family and those after it
    models of_family[3];
    machine numbers; // the sizes where CPUID has none
};
// clang-format off
constexpr processor PROCESSORS[] = {
    // l2, last_level; memory, shared; prefetch

    // Zen 5, and later ones until they have a row: of family 26, models 0x50 to 0x5f, 0x80 to 0xaf and 0xc0 to
    // 0xcf are Zen 6.
    {true, 26, {ALL},
        {      MB, 32 * MB,   50,  50, 1}},
    // Zen 4
    {true, 25, {{0x10, 0x1f}, {0x60, 0xaf}},
        {      MB, 32 * MB,   50, 100, 2}},
    // Zen 3
    {true, 25, {ALL},
        {512 * KB, 32 * MB,   37,  50, 2}},
    // before
    {true, 0, {ALL},
        {512 * KB, 16 * MB,   50, 100, 2}},
    // Intel, measured on Granite Rapids (percentages on Emerald Rapids, too), and others
    {false, 0, {ALL}, machine()},
};
// clang-format on

bool is_zen(cpuid_function cpuid) {
    constexpr uint32_t VENDOR = 0, AUTH = 0x6874'7541, HYGO = 0x6F67'7948; // of "AuthenticAMD" and "HygonGenuine"
    cpuid_registers r;
    return cpuid(VENDOR, 0, r) && (r.ebx == AUTH || r.ebx == HYGO);
}

const machine &numbers_by_cpuid(cpuid_function cpuid) {
    constexpr uint32_t VERSION = 1;
    const bool zen = is_zen(cpuid);
    cpuid_registers r = {};
    if (!cpuid(VERSION, 0, r)) r = {}; // family 0 is before all others
    const uint32_t family = bits(r.eax, 8, 11) + bits(r.eax, 20, 27);
    const uint32_t model = bits(r.eax, 4, 7) | bits(r.eax, 16, 19) << 4;
    const auto has_model = [&](const models &m) { return m.first <= model && model <= m.last; };
    const auto is_row = [&](const processor &p) {
        return p.is_zen == zen && p.first_family <= family && std::ranges::any_of(p.of_family, has_model);
    };
    return std::ranges::find_if(PROCESSORS, is_row)->numbers;
}

// The leaves that processors of AMD had before, for virtual machines in which the newer ones are empty. They have the
// first two levels of a core right, and nonsense for the last one.
cache_levels levels_in_old_leaves(cpuid_function cpuid) {
    constexpr uint32_t FIRST_LEVEL = 0x8000'0005, OTHER_LEVELS = 0x8000'0006;
    cache_levels levels;
    cpuid_registers first, others;
    if (!is_zen(cpuid) || !cpuid(FIRST_LEVEL, 0, first) || !cpuid(OTHER_LEVELS, 0, others)) return levels;
    levels[0] = {dim_t(bits(first.ecx, 24, 31)) * KB, 1};
    levels[1] = {dim_t(bits(others.ecx, 16, 31)) * KB, 1};
    levels[2] = {numbers_by_cpuid(cpuid).last_level, 1};
    return levels;
}

// ---- the machine that the answers describe

constexpr dim_t LARGEST_LAST_LEVEL = 64 * MB;

constexpr bool is_between(dim_t bytes, dim_t least, dim_t most) { return least <= bytes && bytes <= most; }

// One core's part of a cache that several share. The threads of a core share the first level and count as one core.
dim_t part_of_core(const cache &shared, const cache &first) {
    return shared.bytes / std::max(shared.sharers / std::max(first.sharers, 1), 1);
}

struct found {
    machine here = machine_by_cpuid(execute_cpuid);
    const char *source = caches_by_cpuid(execute_cpuid) == NO_ANSWER ? "nobody" : "cpuid";
};

constinit process_wide<const found> this_machine;

// ---- texts

constexpr struct {
    std::string_view name;
    dim_t machine::*number;
    dim_t least, most;
} COLUMNS[] = {
#define PROCESSOR_NUMBER(name, least, most) {#name, &machine::name, least, most},
#include "../../tables/processor_numbers.inc"
};
static_assert(sizeof(machine) == (std::size(COLUMNS) + 1) * sizeof(dim_t), "a number of a machine has no name");

bool set_one(machine &m, std::string_view name, std::string_view value) {
    const auto *const column = std::ranges::find_if(COLUMNS, [&](const auto &c) { return c.name == name; });
    if (column == std::end(COLUMNS)) return false;
    m.*column->number = integer_or(value, dim_t(-1)); // which is less than every least number
    return is_between(m.*column->number, column->least, column->most);
}

// Whether these lines, which are printed once, are in the log.
constinit std::atomic<bool> machine_is_logged = false, nonsense_is_logged = false;

} // namespace

cache_levels caches_by_cpuid(cpuid_function cpuid) {
    for (const uint32_t leaf : {INTEL_CACHES, AMD_CACHES})
        if (const cache_levels levels = levels_in(cpuid, leaf); levels != NO_ANSWER) return levels;
    return levels_in_old_leaves(cpuid);
}

bool execute_cpuid(uint32_t leaf, uint32_t subleaf, cpuid_registers &answer) {
    return __get_cpuid_count(leaf, subleaf, &answer.eax, &answer.ebx, &answer.ecx, &answer.edx) != 0;
}

machine machine_of(const cache_levels &levels, const machine &otherwise) {
    const auto &[first, second, third] = levels;
    machine m = otherwise;
    const dim_t l1 = is_between(first.bytes, 4 * KB, MB) ? first.bytes : 0;
    const dim_t l2 = part_of_core(second, first);
    const bool contradiction = third.bytes > 0 && third.bytes < second.bytes; // one of the two must be wrong
    if (!contradiction && is_between(l2, std::max(l1, 64 * KB), LARGEST_LAST_LEVEL)) m.l2 = l2;
    if (!contradiction && is_between(third.bytes, m.l2, 64 * 1024 * MB)) m.last_level = third.bytes;
    m.last_level = std::clamp(m.last_level, m.l2, LARGEST_LAST_LEVEL);
    return m;
}

machine machine_by_cpuid(cpuid_function cpuid) { return machine_of(caches_by_cpuid(cpuid), numbers_by_cpuid(cpuid)); }

std::optional<machine> with_numbers(machine m, std::string_view text) {
    if (text.size() >= sizeof(environment::caches) - 1) return std::nullopt; // it may have been cut
    for (;;) {
        const std::string_view one = text.substr(0, text.find(','));
        const size_t colon = std::min(one.find(':'), one.size());
        if (!set_one(m, one.substr(0, colon), one.substr(std::min(colon + 1, one.size())))) return std::nullopt;
        if (one.size() == text.size()) return m;
        text.remove_prefix(one.size() + 1);
    }
}

machine the_machine() {
    machine here = this_machine.get().here;
    here.threads_sleep = the_environment().threads_sleep;
    const std::string_view numbers = the_environment().caches;
    if (numbers.empty()) return here;
    if (const auto wanted = with_numbers(here, numbers)) return *wanted;
    if (verbose_level() >= VERBOSE_ERRORS && !nonsense_is_logged.exchange(true))
        log_line("error", [&] {
            return "JITNORM_CACHES has no effect: '" + std::string(numbers) +
                   "' is not of the form l2:1048576,last_level:33554432; the names are those of " + describe(here);
        });
    return here;
}

std::string describe(const machine &m) {
    std::string text;
    for (const auto &column : COLUMNS) text += std::string(column.name) + ":" + std::to_string(m.*column.number) + ",";
    text.pop_back();
    return text;
}

void log_machine_once() {
    if (machine_is_logged.exchange(true)) return;
    log_line("machine", [] {
        const machine m = the_machine();
        std::string source = this_machine.get().source;
        if (m.threads_sleep) source += "+OMP_WAIT_POLICY";
        if (describe(m) != describe(this_machine.get().here)) source += "+JITNORM_CACHES";
        return source + "," + describe(m);
    });
}

} // namespace jitnorm::impl
