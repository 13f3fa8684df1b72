// SPDX-License-Identifier: Apache-2.0
#include "ranking.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "../base/environment.hpp"
#include "../base/process.hpp"
#include "../base/verbose.hpp"
#include "../reference/reference.hpp"
#include "../run/executors.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

void log_refusal(const implementation &entry, const std::string &reason, const problem &p) {
    if (verbose_level() >= 2)
        log_line("refuse", [&] { return std::string(entry.name) + "," + reason + "," + describe(p); });
}

void log_unknown_name(std::string_view name) {
    if (verbose_level() >= 1)
        log_line("error", [&] { return "unknown implementation in JITNORM_IMPL: " + std::string(name); });
}

bool is_named(const implementation &entry, std::string_view name) { return name.empty() || entry.name == name; }

const implementation *first_taker(std::span<const implementation> list, std::string_view forced_name,
                                  const problem &p) {
    for (const implementation &entry : list) {
        if (!is_named(entry, forced_name)) continue;
        const std::string reason = entry.refusal(p);
        if (reason.empty()) return &entry;
        log_refusal(entry, reason, p);
    }
    return nullptr;
}

struct ranking {
    std::array<implementation, 3> best_first = {on_kernels[0], on_kernels[1], reference_entry};
};

constinit process_wide<const ranking> the_ranking;

// The name that set_forced_implementation() has set, which is a literal. Null if it was never called: then the
// environment counts.
constinit std::atomic<const char *> forced = nullptr;

} // namespace

std::string_view forced_implementation() {
    const char *set = forced.load(std::memory_order_relaxed);
    return set != nullptr ? set : the_environment().implementation;
}

std::span<const implementation> implementations() { return the_ranking.get().best_first; }

name_list implementation_names() {
    name_list names;
    for (const implementation &entry : implementations()) names.add(entry.name);
    return names;
}

bool set_forced_implementation(std::string_view name) {
    const auto all = implementations();
    const auto found = std::find_if(all.begin(), all.end(), [&](auto &entry) { return entry.name == name; });
    if (found == all.end() && !name.empty()) return false;
    forced.store(name.empty() ? "" : found->name, std::memory_order_relaxed);
    return true;
}

const implementation *choose_among(std::span<const implementation> list, std::string_view forced_name, const problem &p,
                                   const implementation *from, jitnorm_status_t *code) {
    const auto report = [&](jitnorm_status_t value, const implementation *chosen) {
        if (code != nullptr) *code = value;
        return chosen;
    };
    if (std::none_of(list.begin(), list.end(), [&](auto &entry) { return is_named(entry, forced_name); })) {
        log_unknown_name(forced_name);
        return report(jitnorm_runtime_error, nullptr);
    }
    const size_t skipped = from == nullptr ? 0 : size_t(from - list.data());
    const implementation *chosen = first_taker(list.subspan(skipped), forced_name, p);
    return report(chosen == nullptr ? jitnorm_unimplemented : jitnorm_success, chosen);
}

const implementation *choose(const problem &p, const implementation *from, jitnorm_status_t *code) {
    return choose_among(implementations(), forced_implementation(), p, from, code);
}

} // namespace jitnorm::impl::layer_norm
