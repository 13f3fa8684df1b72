// SPDX-License-Identifier: Apache-2.0
// cold_cache: copies of an execution's tensors, together larger than the caches. Executions use the copies in turn, so
// that each one finds its tensors in memory and not in a cache.
#pragma once

#include "../problem/execution.hpp"
#include "../problem/mode.hpp"

namespace benchdnn_lite {

// How many bytes must be read or written until the caches have nothing from before.
double cache_bytes_to_evict();

// The sets of tensors that the executions use in turn.
class cold_arguments {
public:
    // If `mode` makes no tensor cold, nothing is copied, and run() uses the execution's own tensors. Otherwise at least
    // one set is copied, and further ones until they are larger than the caches or would take more than `most_bytes`.
    // The execution must outlive the object.
    cold_arguments(const execution &e, const cold_cache_mode &mode, double most_bytes);

    bool any_cold() const { return !sets_.empty(); }
    // The i-th execution. forget_pages(i) is to be called before it, outside of the measured time. It does its work
    // only before the first set is used.
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
    mutable std::vector<char> pages_; // forget_pages() writes one byte of each page
};

} // namespace benchdnn_lite
