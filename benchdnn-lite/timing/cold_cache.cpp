// SPDX-License-Identifier: Apache-2.0
// Copies an execution's tensors.
#include "cold_cache.hpp"

#include <algorithm>
#include <map>

#include <unistd.h>

namespace benchdnn_lite {

namespace {

constexpr double CACHE_UNKNOWN = 64e6; // bytes, if the system does not say how large its caches are
constexpr double CACHES = 3;           // times the largest cache; benchdnn's factor, enough for two sockets
constexpr size_t MOST_SETS = 4096, PAGE = 4096;

bool is_weight(int id) { return id == JITNORM_ARG_SCALE || id == JITNORM_ARG_SHIFT; }

} // namespace

double cache_bytes_to_evict() {
    const long size = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    return CACHES * (size > 0 ? double(size) : CACHE_UNKNOWN);
}

cold_arguments::cold_arguments(const execution &e, const cold_cache_mode &mode, double most_bytes)
    : execution_(e), mode_(mode), pages_(mode.tlb_bytes) {
    const double cold = bytes_of_cold();
    if (cold == 0) return;
    const double wanted = std::min(cache_bytes_to_evict() + cold, most_bytes);
    const size_t count = std::clamp(size_t(wanted / cold), size_t(1), MOST_SETS);
    for (size_t i = 0; i < count; ++i) sets_.push_back(copy_set());
}

bool cold_arguments::is_cold(const argument &a) const {
    if (mode_.cold == cold_cache_mode::arguments::none || a.use == role::scratch) return false;
    return mode_.cold == cold_cache_mode::arguments::all || is_weight(a.id);
}

double cold_arguments::bytes_of_cold() const {
    double bytes = 0;
    for (const argument &a : execution_.arguments())
        if (is_cold(a)) bytes += double(a.data.size());
    return bytes;
}

// Tensors that share memory share it in the copy too.
cold_arguments::set cold_arguments::copy_set() const {
    set s;
    std::map<const void *, buffer> copies;
    for (const argument &a : execution_.arguments()) {
        if (!is_cold(a)) {
            s.list.push_back({a.id, a.handle.get()});
            continue;
        }
        const buffer &copy = copies.try_emplace(a.data.data(), a.data.clone()).first->second;
        s.copies.push_back(copy);
        s.handles.push_back(execution_.memory_for(a, copy));
        s.list.push_back({a.id, s.handles.back().get()});
    }
    return s;
}

void cold_arguments::forget_pages(size_t i) const {
    if (sets_.empty() || i % sets_.size() != 0) return;
    for (size_t at = 0; at < pages_.size(); at += PAGE) ++pages_[at];
}

} // namespace benchdnn_lite
