// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>

#include "../norm/row_groups.hpp"

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
        if (p.writes(s)) all.written_statistics |= bit_of(s);
    }
    return all;
}

bool are_evenly_spaced(const row_tensors &tensors) {
    const auto are_even = [&](const memory_desc *md) {
        if (md == nullptr) return true;
        const tensor_axis rows(*md, 0, tensors.row_ndims);
        return rows.run_from(0, rows.size()).count == rows.size();
    };
    return are_even(tensors.statistics) && std::ranges::all_of(tensors.all(), are_even, &row_tensor::md);
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
    for (const row_tensor *t : {&tensors.data[0], &tensors.result_or_last()})
        if (is_packed(*t)) return *t->md;
    const auto others = tensors.all().subspan(1);
    const auto packed = std::ranges::find_if(others, is_packed);
    return packed == others.end() ? *tensors.data[tensors.count > 1 ? 1 : 0].md : *packed->md;
}

bool rows_in_place::take(const row_tensors &tensors) {
    for (const row_tensor &t : tensors.all())
        if (t.md != nullptr && !has_dense_rows(*t.md, tensors.row_ndims)) return false;
    return tensors.statistics == nullptr || tensors.statistics->inner_nblks == 0;
}

rows_in_place::rows_in_place(const problem &p, const plan &) {
    const row_tensors tensors = row_tensors_of(p);
    count_ = size_t(tensors.count);
    const memory_desc &src = *tensors.data[0].md;
    for (size_t i = 0; i < count_; ++i) {
        const row_tensor &t = tensors.data[i];
        const tensor_axis rows =
            t.md ? tensor_axis(*t.md, src.dims, 0, p.row_ndims()) : tensor_axis(p.rows(), p.row_length() * t.size);
        data_[fields_[i] = t.field] = {t.argument, t.size, rows.step(), t.md ? t.md->offset0 * t.size : 0, rows};
    }
    if (tensors.statistics == nullptr) return;
    const memory_desc &md = *tensors.statistics;
    const tensor_axis rows(md, 0, p.row_ndims());
    const dim_t size = std::max<dim_t>(element_size(md), 1); // never 0, which clang-tidy does not know
    has_statistics_ = true;
    statistics_ = {NO_SLOT, size, rows.step(), md.offset0 * size, rows};
    if (rows.size() > 1) statistics_stride_ = rows.step() / size;
}

} // namespace jitnorm::impl::layer_norm
