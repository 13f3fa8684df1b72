// SPDX-License-Identifier: Apache-2.0
#include "row_tensors.hpp"

#include <algorithm>
#include <span>

#include "../norm/row_groups.hpp"
#include "../tensor/row_space.hpp"
#include "../tensor/zero_padding.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

void add_own_rows(const problem &p, row_tensors &all) {
    size_t field = MAX_ROW_TENSORS;
    for (const slot s : {SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT}) {
        const bool is_read = p.reads(s) && p[s].ndims != 0, is_written = p.writes(s);
        const jitnorm_data_type_t type = is_read ? p.scale_shift_type : p.diff_scale_shift_type;
        if (is_read || is_written)
            all.data[size_t(all.count++)] = {s,       field,     is_read ? &p[s] : nullptr, dim_t(size_of(type)),
                                             is_read, is_written};
        ++field;
    }
}

// Whether rows that share cache lines may be stored past the caches. The shared lines are stored by ordinary stores,
// which in shorter rows take more time than the other lines save.
bool may_share_lines(const problem &p, const memory_desc &md) {
    constexpr dim_t SHORTEST_ROW = 2048; // bytes
    return p.row_length() * element_size(md) >= SHORTEST_ROW;
}

} // namespace

row_tensors row_tensors_of(const problem &p) {
    static constexpr slot FORWARD[] = {SRC, RESIDUAL, SUM, DST, PRE_QUANTIZATION};
    static constexpr slot BACKWARD[] = {SRC, DIFF_DST, DIFF_SUM, DIFF_SRC};
    row_tensors all;
    all.row_ndims = p.row_ndims();
    const std::span<const slot> slots = p.is_forward() ? std::span<const slot>(FORWARD) : BACKWARD;
    for (size_t field = 0; field < slots.size(); ++field) {
        const slot s = slots[field];
        if (!p.uses(s)) continue;
        if (s != PRE_QUANTIZATION) all.result = all.count;
        all.data[size_t(all.count++)] = {s, field, &p[s], element_size(p[s]), p.reads(s), p.writes(s)};
    }
    if (has_own_rows(p)) add_own_rows(p, all);
    for (const slot s : ROW_STATISTICS) {
        if (p.uses(s)) all.statistics = &p[s];
        if (p.reads(s)) all.read_statistics |= bit_of(s);
        if (p.writes(s)) all.written_statistics |= bit_of(s);
    }
    return all;
}

panel tiles_in(std::byte *scratchpad, const row_tensors &tensors, const plan &planned) {
    panel tiles;
    std::byte *last = nullptr;
    for (size_t i = 0; i < size_t(tensors.count); ++i) {
        if (planned.pitch[i] == 0) continue;
        const bool shares = planned.shares_tile && i + 1 == size_t(tensors.count);
        if (!shares) {
            last = scratchpad;
            scratchpad += planned.tile_rows * planned.pitch[i];
        }
        tensors.data[i].of(tiles) = {last, planned.pitch[i]};
    }
    return tiles;
}

void zero_padding(const row_tensors &tensors, const arguments &args, int share, int shares) {
    for (size_t i = 0; i < size_t(tensors.count); ++i)
        if (const row_tensor &t = tensors.data[i]; t.is_written)
            impl::zero_padding(*t.md, args[t.place], share, shares);
    for (const slot s : ROW_STATISTICS)
        if ((tensors.written_statistics & bit_of(s)) != 0)
            impl::zero_padding(*tensors.statistics, args[s], share, shares);
}

bool takes_non_temporal_stores(const problem &p, const memory_desc &md) {
    return (has_rows_in_lines(md, p.row_ndims()) || may_share_lines(p, md)) && 2 * element_size(md) >= p.compute_size();
}

bool result_lies_past_caches(const problem &p, const arguments &args) {
    const slot result = p.is_forward() ? DST : DIFF_SRC;
    const void *const to = args[result];
    const bool in_place = p.is_forward() ? to == args[SRC] : to == args[DIFF_DST] || to == args[DIFF_SUM];
    if (in_place) return false;
    return is_aligned(p[result], to, CACHE_LINE) ||
           (may_share_lines(p, p[result]) && is_aligned(p[result], to, element_size(p[result])));
}

const memory_desc &leading_tensor(const row_tensors &tensors) {
    const auto is_packed = [&](const row_tensor &t) { return !has_dense_rows(*t.md, tensors.row_ndims); };
    for (const row_tensor *t : {&tensors.data[0], &tensors.last()})
        if (is_packed(*t)) return *t->md;
    const auto others = std::span(tensors.data).subspan(1, size_t(tensors.count - 1));
    const auto packed = std::ranges::find_if(others, is_packed);
    return packed == others.end() ? *tensors.data[tensors.count > 1 ? 1 : 0].md : *packed->md;
}

} // namespace jitnorm::impl::layer_norm
