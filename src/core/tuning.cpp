// SPDX-License-Identifier: Apache-2.0
#include "tuning.hpp"

#include <unistd.h>

#include "process_wide.hpp"

namespace jitnorm::impl::layer_norm::tuning {

namespace {

dim_t cache_bytes(int name, dim_t otherwise) {
    const long bytes = sysconf(name);
    return bytes > 0 ? dim_t(bytes) : otherwise;
}

// What of the last-level cache one process can count on: large ones are shared by many.
constexpr dim_t LARGEST_SHARE = 64 * 1024 * 1024;

struct cache_sizes {
    dim_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 * 1024);
    dim_t last = std::min(cache_bytes(_SC_LEVEL3_CACHE_SIZE, 8 * 1024 * 1024), LARGEST_SHARE);
};

dim_t batch_of(dim_t batch_bytes, dim_t row_bytes) {
    return std::clamp<dim_t>(batch_bytes / std::max<dim_t>(row_bytes, 1), 1, MAX_BATCH_ROWS);
}

constexpr dim_t IN_CACHE_BATCH = 16 * 1024;

constinit process_wide<const cache_sizes> caches;

const cache_sizes &the_caches() { return caches.get(); }

} // namespace

plan plan_for(dim_t total_bytes, dim_t src_row_bytes, dim_t dst_row_bytes) {
    const bool non_temporal = total_bytes >= the_caches().last;
    const bool mostly_reads = total_bytes > the_caches().l2 && dst_row_bytes < src_row_bytes;
    if (non_temporal || mostly_reads) return {batch_of(8 * 1024, src_row_bytes), 1, true, non_temporal};
    return {batch_of(IN_CACHE_BATCH, src_row_bytes), 2, false, false};
}

plan packed_plan(dim_t pitch) { return {batch_of(IN_CACHE_BATCH, pitch), 2, false, false}; }

backward_plan backward_plan_for(dim_t bytes, dim_t total_bytes, dim_t row_bytes) {
    const dim_t batch = batch_of(IN_CACHE_BATCH, row_bytes);
    if (total_bytes >= the_caches().last) return {batch, true, true};
    return {batch, bytes > the_caches().l2, false};
}

} // namespace jitnorm::impl::layer_norm::tuning
