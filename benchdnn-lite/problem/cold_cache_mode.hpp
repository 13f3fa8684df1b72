// SPDX-License-Identifier: Apache-2.0
// cold_cache_mode: which tensors of a timed execution must not be found in the caches.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benchdnn_lite {

struct cold_cache_mode {
    enum class arguments { none, weights, all };
    arguments cold = arguments::none;
    size_t tlb_bytes =
        0; // pages of that much memory are touched, so that no translation is remembered; 0: they are not

    bool operator==(const cold_cache_mode &) const = default;
};

// none, wei (weights), all; the latter two with +tlb[:SIZE] where SIZE is a number and M or G. Throws input_error.
cold_cache_mode parse_cold_cache(std::string_view text);
std::string to_text(const cold_cache_mode &mode);

} // namespace benchdnn_lite
