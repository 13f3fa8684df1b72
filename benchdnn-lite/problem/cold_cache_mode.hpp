// SPDX-License-Identifier: Apache-2.0
// cold_cache_mode: the value of --cold-cache: which tensors must not be in the caches when a timed execution starts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchdnn_lite {

struct cold_cache_mode {
    enum class arguments { none, weights, all };
    arguments cold = arguments::none;
    // Each time before the copies of the tensors are used in turn, all pages of this much memory are written, so that
    // the TLB forgets the translations of the tensors' addresses. 0: nothing is written.
    size_t tlb_bytes = 0;

    bool operator==(const cold_cache_mode &) const = default;
};

// Reads none, wei (or weights) or all. After wei and all, +tlb[:SIZE] may follow; SIZE is a number and M or G, by
// default 1G. Throws input_error.
cold_cache_mode parse_cold_cache(std::string_view text);
std::string to_text(const cold_cache_mode &mode);

} // namespace benchdnn_lite
