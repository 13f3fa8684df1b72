// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

namespace jitnorm::impl::layer_norm {

bool plan::may_go_by_chunks(int available_threads) const {
    if (only_chunks || chunk_threads == 0) return only_chunks;
    const int by_rows = std::min(row_threads, available_threads);
    const int by_chunks = std::min(chunk_threads, available_threads);
    return by_chunks > by_rows && by_chunks >= chunk_gain * by_rows;
}

schedule plan::on(int available_threads, bool past_caches) const {
    const bool by_chunks = may_go_by_chunks(available_threads);
    const int threads = std::min(by_chunks ? chunk_threads : row_threads, available_threads);
    // By chunks the next row is far away.
    const bool one_loop = !by_chunks && threads <= one_loop_threads;
    const bool non_temporal = threads <= non_temporal_threads && past_caches;
    return {threads, by_chunks, one_loop, non_temporal};
}

void plan::give_up_chunks() {
    chunk_threads = 0;
    scratchpad.book(scratch::moments, 0);
    scratchpad.set_shares(scratchpad.has_shares() ? row_threads : 1);
}

std::string describe(const plan &p) {
    static constexpr const char *ACCESS[] = {"in_place", "tiles", "interleaved"};
    const auto number = [](const char *name, auto value) { return std::string(name) + std::to_string(value); };
    std::string text = std::string("rows:") + ACCESS[int(p.rows)];
    if (p.band_rows != 0) text += number(",band:", p.band_rows);
    text += p.single_batch ? ",single_batch" : "";
    if (p.rows != row_access::in_place) text += number(",tile_rows:", p.tile_rows);
    if (p.sum_pitch != 0) text += number(",sum_pitch:", p.sum_pitch);
    text += number(",panel:", p.panel_columns);
    text += number(",batch:", p.batch_rows);
    if (p.groups_together != 0) text += number(",groups:", p.groups_together);
    if (p.value_columns != 0) text += number(",values:", p.value_columns);
    text += number(",one_loop_threads:", p.one_loop_threads);
    text += std::string(p.prefetch_to_l1 ? ",prefetch_to_l1" : "") + (p.prefetch_to_l2 ? ",prefetch_to_l2" : "");
    text += number(",non_temporal_threads:", p.non_temporal_threads);
    text += number(",row_threads:", p.row_threads);
    text += number(",chunk_threads:", p.chunk_threads) + (p.only_chunks ? ",only_chunks" : "");
    return text + number(",scratchpad:", p.scratchpad.bytes());
}

} // namespace jitnorm::impl::layer_norm
