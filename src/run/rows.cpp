// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>

#include "../math/row_blocks.hpp"
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

bool have_dense_rows(const row_tensors &tensors) {
    for (const row_tensor &t : tensors.all())
        if (t.md != nullptr && !has_dense_rows(*t.md, tensors.row_ndims)) return false;
    return tensors.statistics == nullptr || tensors.statistics->inner_nblks == 0;
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

const problem &put_in_order_of_visits(problem &p, const plan &planned) {
    const bool keeps_order = p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT) || p.uses(ROW_SUMS);
    if (planned.rows != row_access::tiles || keeps_order) return p;
    const int row_ndims = p.row_ndims();
    const row_order order = order_in_memory(leading_tensor(row_tensors_of(p)), row_ndims);
    p.for_each_descriptor([&](memory_desc &md) { md = with_row_order(md, row_ndims, order); });
    return p;
}

// ---- tiles

row_tiles::row_tiles(const problem &p, const row_tensors &tensors, dim_t columns) {
    const auto count = size_t(tensors.count);
    for (size_t i = 0; i < count; ++i) {
        const memory_desc &md = *tensors.data[i].md;
        const bool is_dense = p.is_forward() && has_dense_rows(md, p.row_ndims());
        pitch[i] = is_dense ? 0 : row_packer::pitch_for(md.data_type, columns);
        row_bytes += pitch[i];
    }
    if (count < 2 || (p.is_forward() && count > 2)) return;
    const row_tensor &last = tensors.data[count - 1], &before = tensors.data[count - 2];
    last_has_tile_before = pitch[count - 1] != 0 && pitch[count - 2] != 0 && !last.is_read && last.size == before.size;
    if (last_has_tile_before) row_bytes -= pitch[count - 1];
}

interleaved_blocks interleaved_blocks_of(const problem &p, const row_tensors &tensors) {
    return {leading_tensor(tensors), tensors.row_ndims, row_blocks_of(p).block_rows()};
}

// ---- the rows of an execution

row_source::row_source(const problem &p, const plan &planned) : in_place_(planned.rows == row_access::in_place) {
    const row_tensors tensors = row_tensors_of(p);
    const memory_desc &src = *tensors.data[0].md;
    for (const row_tensor &t : tensors.all()) {
        const tensor_axis rows =
            t.md ? tensor_axis(*t.md, src.dims, 0, p.row_ndims()) : tensor_axis(p.rows(), p.row_length() * t.size);
        data_[count_++] = {t, {rows, t.md ? t.md->offset0 * t.size : 0}};
        column_step_[t.field] = t.size;
    }
    if (!in_place_) make_tiles(p, planned, tensors);
    if (tensors.statistics == nullptr) return;
    const memory_desc &md = *tensors.statistics;
    const tensor_axis rows(md, 0, p.row_ndims());
    const dim_t size = std::max<dim_t>(element_size(md), 1); // never 0, which clang-tidy does not know
    statistics_md_ = &md;
    statistics_ = {rows, md.offset0 * size};
    if (rows.size() > 1) statistics_stride_ = rows.step() / size;
}

void row_source::make_tiles(const problem &p, const plan &planned, const row_tensors &tensors) {
    if (planned.rows == row_access::interleaved) units_.emplace(interleaved_blocks_of(p, tensors));
    const row_tiles layout(p, tensors, planned.panel_columns);
    for (size_t i = 0; i < count_; ++i) {
        tensor &t = data_[i];
        t.pitch = layout.pitch[i];
        t.has_tile_before = layout.last_has_tile_before && i + 1 == count_;
        if (t.pitch != 0) column_step_[t.field] = 0;
        packers_[i].emplace(units_ ? with_row_order(*t.md, p.row_ndims(), units_->order()) : *t.md, p.row_ndims(),
                            planned.prefetch == 2 ? PREFETCHED_STEP_IN_MEMORY : PREFETCHED_STEP);
    }
    result_ = size_t(tensors.result);
    written_statistics_ = tensors.written_statistics;
    tile_rows_ = planned.tile_rows;
    whole_rows_ = planned.panel_columns == p.row_length();
}

dim_t row_source::cut_at(dim_t row) const { return in_place_ || units_ ? row : packers_[result_]->group_begin(row); }

const row_packer &row_source::leading() const {
    for (const tensor &t : all())
        if (t.pitch != 0) return packer_of(t);
    return *packers_[0];
}

// The tiles lie one after the other.
void row_source::cursor::set_tiles(std::byte *tiles) {
    std::byte *last = nullptr;
    for (const tensor &t : rows_.all()) {
        if (t.pitch == 0) continue;
        if (!t.has_tile_before) {
            last = tiles;
            tiles += rows_.tile_rows_ * t.pitch;
        }
        tiles_[t.field] = last;
    }
}

void row_source::cursor::place_in_tiles(dim_t first, dim_t step) {
    for (const tensor &t : rows_.all())
        if (t.pitch != 0) place(t, tiles_[t.field] + first * t.pitch, step * t.pitch);
}

void row_source::cursor::gather_rows(dim_t first, dim_t rows, range columns, dim_t in_tile) const {
    for (const tensor &t : rows_.all())
        if (t.pitch != 0 && t.is_read)
            rows_.packer_of(t).gather(args_[t.argument], first, rows, columns.begin, columns.end - columns.begin,
                                      tiles_[t.field] + in_tile * t.pitch, t.pitch);
}

void row_source::cursor::scatter_rows(dim_t first, dim_t rows, range columns, dim_t in_tile) const {
    for (const tensor &t : rows_.all())
        if (t.pitch != 0 && t.is_written)
            rows_.packer_of(t).scatter(tiles_[t.field] + in_tile * t.pitch, t.pitch, first, rows, columns.begin,
                                       columns.end - columns.begin, args_[t.argument]);
}

void row_source::cursor::move_tiles(dim_t end, dim_t most) {
    if (first_ < tiled_.begin || first_ >= tiled_.end) {
        scatter_written();
        const bool gathers_ahead = rows_.whole_rows_ || alike_until_ > first_;
        const dim_t rows = gathers_ahead ? rows_.tile_rows_ : std::min(most, rows_.tile_rows_);
        tiled_ = {first_, first_ + rows_.leading().tile_rows(first_, std::max(alike_until_, end), rows)};
        gathered_ = {0, 0};
    }
    number_ = std::min(number_, tiled_.end - first_);
    place_in_tiles(first_ - tiled_.begin, 1);
}

void row_source::cursor::gather(range columns) {
    if (gathered_.begin == columns.begin && gathered_.end == columns.end) return;
    scatter_written();
    tiled_.begin = first_; // since rows before the batch will not be opened with these columns
    gathered_ = columns;
    gather_rows(first_, tiled_.end - first_, columns, 0);
    place_in_tiles(0, 1);
}

void row_source::cursor::add_written() {
    if (written_.begin == written_.end) written_.begin = first_;
    written_.end = first_ + number_;
}

void row_source::cursor::scatter_written() {
    if (written_.begin == written_.end) return;
    scatter_rows(written_.begin, written_.end - written_.begin, gathered_, written_.begin - tiled_.begin);
    written_ = {0, 0};
}

void row_source::cursor::scatter_and_pad(int share, int shares) {
    scatter_written();
    for (const row_tensor &t : rows_.all())
        if (t.is_written) zero_padding(*t.md, args_[t.argument], share, shares);
    for (const slot s : ROW_STATISTICS)
        if ((rows_.written_statistics_ & bit_of(s)) != 0) zero_padding(*rows_.statistics_md_, args_[s], share, shares);
}

// In a tile the rows of all strands alternate.
void row_source::cursor::for_each_interleaved_batch(range units, dim_t most,
                                                    const std::function<void(dim_t, dim_t)> &body) {
    const interleaved_blocks &blocks = *rows_.units_;
    const dim_t step = blocks.strands(), block_rows = blocks.block_rows();
    gathered_ = {0, rows_.leading().row_length()};
    for (dim_t number = units.begin; number < units.end; ++number) {
        const interleaved_blocks::unit unit = blocks.at(number);
        for (dim_t done = 0; done < block_rows; done += most) {
            const dim_t rows = std::min(most, block_rows - done); // of each strand
            // Calls copy() for pieces of rows whose positions are consecutive: one if the unit has all strands.
            const auto for_each_piece = [&](auto copy) {
                const dim_t first = unit.position + done * step;
                if (unit.strands == step) return (this->*copy)(first, rows * step, gathered_, 0);
                for (dim_t i = 0; i < rows; ++i)
                    (this->*copy)(first + i * step, unit.strands, gathered_, i * unit.strands);
            };
            for_each_piece(&cursor::gather_rows);
            for (dim_t strand = 0; strand < unit.strands; ++strand)
                for (dim_t row = 0; row < rows; row += number_) {
                    first_ = unit.first_row + strand * blocks.rows_of_strand() + done + row;
                    number_ = rows - row;
                    find_rows();
                    place_in_tiles(row * unit.strands + strand, unit.strands);
                    body(first_, number_);
                }
            for_each_piece(&cursor::scatter_rows);
            written_ = {0, 0};
        }
    }
}

} // namespace jitnorm::impl::layer_norm
