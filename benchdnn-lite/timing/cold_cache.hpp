// SPDX-License-Identifier: Apache-2.0
// cold_cache: copies of an execution's tensors, more than the caches hold, so that each execution in turn finds its own
// in memory.
#pragma once

#include "../problem/cold_cache_mode.hpp"
#include "../problem/execution.hpp"

namespace benchdnn_lite {

// Bytes that must be touched until nothing of before is in the caches.
double cache_bytes_to_evict();

class cold_arguments {
public:
    // Without anything cold there is one set, the execution's own. Copies take at most `most_bytes`.
    cold_arguments(const execution &e, const cold_cache_mode &mode, double most_bytes);

    bool any_cold() const { return !sets_.empty(); }
    // For the i-th execution; `forget_pages` before it is not part of what is timed.
    void run(size_t i) const { sets_.empty() ? execution_.run() : execution_.run(sets_[i % sets_.size()].list); }
    void forget_pages(size_t i) const;

private:
    struct set {
        std::vector<buffer> copies;
        std::vector<memory> handles;
        argument_list list;
    };
    bool is_cold(const argument &a) const;
    set copy_set() const;
    double bytes_of_cold() const;

    const execution &execution_;
    cold_cache_mode mode_;
    std::vector<set> sets_;
    mutable std::vector<char> pages_; // touched, one byte a page
};

} // namespace benchdnn_lite
