// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

namespace jitnorm::impl::layer_norm {

void plan::give_up_chunks() {
    chunk_threads = 0;
    scratchpad.common_bytes = 0;
    if (scratchpad.shares > 0) scratchpad.shares = row_threads;
}

std::string describe(const plan &p) {
    static constexpr const char *ACCESS[] = {"in_place", "tiles", "interleaved"};
    const auto number = [](const char *name, auto value) { return std::string(name) + std::to_string(value); };
    std::string text = std::string("rows:") + ACCESS[int(p.rows)];
    if (p.rows != row_access::in_place) text += number(",tile_rows:", p.tile_rows);
    if (p.sum_pitch != 0) text += number(",sum_pitch:", p.sum_pitch);
    text += number(",panel:", p.panel_columns) + number(",batch:", p.batch_rows);
    if (p.float_columns != 0) text += number(",floats:", p.float_columns);
    text += number(",pass:", p.rows_per_pass) + number(",prefetch_threads:", p.prefetch_threads);
    text += number(",non_temporal:", int(p.non_temporal)) + number(",row_threads:", p.row_threads);
    text += number(",chunk_threads:", p.chunk_threads) + (p.only_chunks ? ",only_chunks" : "");
    return text + number(",scratchpad:", p.scratchpad.bytes());
}

} // namespace jitnorm::impl::layer_norm
