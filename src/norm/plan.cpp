// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

namespace jitnorm::impl::layer_norm {

const plan &plan::anything() {
    static constinit const plan all = [] {
        plan p;
        p.band_rows = MAX_BATCH_ROWS;
        p.non_temporal_threads = INT_MAX;
        p.chunks_from = 1;
        return p;
    }();
    return all;
}

void plan::share_chunks(int gain) {
    chunks_from = std::max(gain * row_threads, row_threads + 1);
    if (chunk_threads < chunks_from) give_up_chunks();
}

void plan::give_up_threads() {
    row_threads = 1;
    if (may_share_rows())
        give_up_chunks();
    else
        chunk_threads = 1;
    scratchpad.set_shares(1);
}

void plan::give_up_chunks() {
    chunk_threads = 0;
    chunks_from = NEVER;
    scratchpad.book(scratch::moments, 0);
    scratchpad.set_shares(scratchpad.has_shares() ? row_threads : 1);
}

std::string describe(const plan &p) {
    static constexpr const char *ACCESS[] = {"in_place", "tiles", "interleaved"};
    const auto entry = [](const char *name, auto value) { return std::string(name) + std::to_string(value); };
    std::string text = std::string("rows:") + ACCESS[int(p.rows)];
    if (p.band_rows != 0) text += entry(",band:", p.band_rows);
    if (p.non_temporal_band_rows != p.band_rows && p.non_temporal_band_rows != 0)
        text += entry(",non_temporal_band:", p.non_temporal_band_rows);
    if (p.rows != row_access::in_place) text += entry(",tile_rows:", p.tile_rows);
    text += entry(",panel:", p.panel_columns) + entry(",batch:", p.batch_rows);
    if (p.prefetch != 0) text += entry(",prefetch:", p.prefetch);
    text += entry(",non_temporal_threads:", p.non_temporal_threads) + entry(",row_threads:", p.row_threads);
    text += entry(",chunk_threads:", p.chunk_threads);
    if (p.chunks_from != plan::NEVER) text += entry(",chunks_from:", p.chunks_from);
    return text + entry(",scratchpad:", p.scratchpad.bytes());
}

} // namespace jitnorm::impl::layer_norm
