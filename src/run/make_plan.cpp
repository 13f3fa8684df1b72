// SPDX-License-Identifier: Apache-2.0
#include "make_plan.hpp"

#include <algorithm>

#include "../math/constants.hpp"
#include "../math/moments.hpp"
#include "../norm/row_groups.hpp"
#include "gradient_sums.hpp"
#include "post_op_operands.hpp"
#include "quantizer.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// ---- the sizes in the rules. docs/performance.md has a table of them.

// The bytes of rows, in backward of src and diff_dst, that one kernel reduces before it writes them: they stay in L1
// beside the rows that it writes. Fewer in short bands: PREFETCHED_BAND where forward prefetches rows and stores them
// to the caches, half of that where backward reads rows from memory (docs/measurements.md, "Zen 3: bands of rows", "Zen
// 5" and "Decisions").
constexpr dim_t BAND_BYTES = 16 * 1024, PREFETCHED_BAND = 2 * 1024;

// Backward: threads take chunks of all rows if these have more elements. The scratchpad of a thread that takes rows has
// the column sums of whole rows.
constexpr dim_t LONG_ROW = 128 * 1024;

// ---- for both directions

// From how many bytes on data come from memory, at least in part.
dim_t from_memory(const machine &m) { return m.last_level * m.memory / 100; }
bool come_from_memory(dim_t bytes, const machine &m) { return bytes >= from_memory(m); }

// The most threads whose results are worth storing past the caches.
int non_temporal_threads_for(dim_t bytes, const machine &m) {
    if (!come_from_memory(bytes, m)) return 0;
    return bytes >= m.last_level * m.shared / 100 ? INT_MAX : 1;
}

// Whether src has fewer bits than the compute type.
bool is_narrow(const problem &p) { return element_size(p[SRC]) < p.compute_size(); }

dim_t data_bytes(const problem &p, const row_tensors &tensors) {
    dim_t bytes = 0;
    for (const row_tensor &t : tensors.all()) bytes += t.size;
    return p.rows() * p.row_length() * bytes;
}

// The bytes of which threads take shares. Narrow elements count as those of the compute type, to which they are
// converted: they take as long.
dim_t shared_work(const problem &p, const row_tensors &tensors) {
    return p.rows() * p.row_length() * tensors.count * p.compute_size();
}

// Rows in tiles are prefetched while they are gathered if the data come from memory.
int prefetch_of_tiles(dim_t bytes, const machine &m) { return m.prefetch == 2 && come_from_memory(bytes, m) ? 2 : 0; }

// ---- forward: batches

// Rows of more than a chunk, which are read twice, are prefetched to L2, where there is room for them. They go in
// pairs: even a single one leaves L1 before it is written. Where rows go in bands, batches become larger
// (plan_forward_bands()).
void plan_batches(const problem &p, dim_t bytes, const machine &m, plan &to) {
    const bool adds = p.reads(RESIDUAL);
    const dim_t row = p.row_length() * dim_t(size_of(p.row_type()));
    if (adds && row > BATCH_BYTES && !normalizes_the_sum(p) && !p.has_dynamic_scales())
        to.panel_columns = std::min(p.row_length(), CHUNK);
    const bool is_long = p.row_length() > CHUNK;
    if (come_from_memory(bytes, m)) to.prefetch = is_long ? 2 : int(m.prefetch);
    to.batch_rows = is_long ? jit::PAIR : batch_of(BATCH_BYTES, row);
    // Results of data that come from memory go past the caches, but not two streams of them.
    if (p.writes(DST) && !p.writes(PRE_QUANTIZATION) && takes_non_temporal_stores(p, p[DST]))
        to.non_temporal_threads = non_temporal_threads_for(bytes, m);
}

// ---- forward: tiles, for every tensor whose rows are not dense

// Rows of at most CHUNK elements and rows with dynamic scales are gathered whole. Longer ones are if all rows that
// share cache lines fit into the tiles, and there are neither post-ops nor a residual, whose tiles have room for only
// one chunk. Otherwise rows are gathered chunk by chunk, and each chunk twice.
dim_t columns_of_tiles(const problem &p, const row_tensors &tensors) {
    if (p.row_length() <= CHUNK || p.has_dynamic_scales()) return p.row_length();
    const memory_desc &leading = leading_tensor(tensors);
    const auto order = order_in_memory(leading, p.row_ndims());
    const tensor_axis rows(with_row_order(leading, p.row_ndims(), order), 0, p.row_ndims());
    const dim_t sharing = std::min(rows.group_size(), rows.size());
    const bool fit = sharing * row_tiles(p, tensors, p.row_length()).row_bytes <= TILE_BYTES;
    return fit && p.attr.post_ops.entries.empty() && !p.reads(RESIDUAL) ? p.row_length() : CHUNK;
}

void plan_forward_tiles(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    to.rows = row_access::tiles;
    to.panel_columns = columns_of_tiles(p, tensors);
    to.prefetch = prefetch_of_tiles(data_bytes(p, tensors), m);
    const row_tiles tiles(p, tensors, to.panel_columns);
    const bool whole_rows = to.panel_columns == p.row_length();
    to.tile_rows = tile_rows_for(tiles.row_bytes + sum_pitch(p, to));
    if (!whole_rows) to.tile_rows = std::min(to.tile_rows, MAX_BATCH_ROWS);
    to.batch_rows = to.tile_rows;
    if (whole_rows) {
        dim_t widest = 0; // element of a tile
        for (size_t i = 0; i < size_t(tensors.count); ++i)
            if (tiles.pitch[i] != 0) widest = std::max(widest, tensors.data[i].size);
        to.batch_rows = std::min(to.tile_rows, batch_of(BATCH_BYTES, p.row_length() * widest));
    }
    to.scratchpad.book(scratch::tiles, to.tile_rows * tiles.row_bytes);
}

// ---- forward

// Bands of more than eight rows have a multiple of eight, whose lanes are added up at once. Long rows have bands of a
// pair, which shares the loads of scale and shift, but not where two rows and all that belongs to them do not fit into
// L1: with a residual, unless they leave L1 anyway, and with dynamic scales. There the values before they are
// quantized, in f32, count in place of the rows. Where sums have a tile, a batch is one band, so that the tile stays in
// L1.
void plan_forward_bands(const problem &p, plan &to) {
    if (to.panel_columns != p.row_length() || !may_go_in_bands(p)) return;
    const size_t element = p.has_dynamic_scales() ? sizeof(float) : size_of(p.row_type());
    const auto rows_of = [&](dim_t bytes) {
        const dim_t rows = batch_of(bytes, p.row_length() * dim_t(element));
        return rows > jit::BAND_UNIT ? rows / jit::BAND_UNIT * jit::BAND_UNIT : rows;
    };
    to.non_temporal_band_rows = rows_of(BAND_BYTES);
    const bool needs_no_pair = p.has_dynamic_scales() || (p.reads(RESIDUAL) && p.row_length() <= CHUNK);
    const dim_t least = needs_no_pair ? 1 : std::min<dim_t>(p.rows(), jit::PAIR);
    to.band_rows = prefetch_of(to) != jit::prefetch_to::nowhere ? rows_of(PREFETCHED_BAND)
                                                                : std::max(to.non_temporal_band_rows, least);
    if (sum_pitch(p, to) != 0)
        to.batch_rows = std::min(to.batch_rows, std::max(to.band_rows, to.non_temporal_band_rows));
    else if (to.rows == row_access::in_place)
        to.batch_rows = std::min(p.rows(), MAX_BATCH_ROWS);
}

void plan_forward_threads(const problem &p, dim_t work, const machine &m, plan &to) {
    to.row_threads = threads_for(work, p.rows(), m.threads_sleep);
    const bool one_pass = !p.writes(DST) && p.reads(RESIDUAL); // the sum is written as it is reduced
    const dim_t chunks = p.rows() * divide_up(p.row_length(), CHUNK);
    if (!p.has_dynamic_scales() && !one_pass)
        to.chunk_threads = std::min(threads_for(work, chunks, m.threads_sleep), MAX_SHARES);
    if (to.scratchpad.has_shares()) {
        to.row_threads = std::min(to.row_threads, MAX_SHARES);
        to.scratchpad.set_shares(std::max(to.row_threads, to.chunk_threads));
    }
    to.share_chunks(1);
    if (to.may_share_chunks() && p.finds_statistics() && !p.uses(ROW_SUMS))
        to.scratchpad.book(scratch::moments, chunks * dim_t(sizeof(moments<float>)));
}

plan forward_plan(const problem &p, const machine &m) {
    plan planned;
    const row_tensors tensors = row_tensors_of(p);
    const dim_t bytes = data_bytes(p, tensors);
    if (have_dense_rows(tensors)) {
        const bool in_chunks = operand_bytes(p, 1, 1) > 0 && !p.has_dynamic_scales(); // operands that are gathered
        planned.panel_columns = in_chunks ? std::min(p.row_length(), CHUNK) : p.row_length();
        plan_batches(p, bytes, m, planned);
    } else {
        plan_forward_tiles(p, tensors, m, planned);
    }
    plan_forward_bands(p, planned);
    if (p.has_dynamic_scales()) planned.scratchpad.book(scratch::values, quantizer(p).tile_bytes(planned));
    planned.scratchpad.book(scratch::sum_rows, planned.batch_rows * sum_pitch(p, planned));
    planned.scratchpad.book(scratch::operands, operand_bytes(p, planned.batch_rows, planned.panel_columns));
    plan_forward_threads(p, shared_work(p, tensors), m, planned);
    return planned;
}

// Rows in tiles share them with their sums; rows in place have a batch of sums: at most a pair of rows of BATCH_BYTES,
// with the padding of the pitch.
plan forward_plan_for_any_size(const problem &p) {
    plan planned;
    const bool in_place = have_dense_rows(row_tensors_of(p)), has_sums = p.reads(RESIDUAL) && !normalizes_the_sum(p);
    if (!in_place) planned.scratchpad.book(scratch::tiles, TILE_BYTES);
    if (in_place && has_sums)
        planned.scratchpad.book(scratch::sum_rows, 2 * BATCH_BYTES + MAX_BATCH_ROWS * row_packer::pitch_for(1));
    planned.scratchpad.book(scratch::operands, operand_bytes(p, MAX_BATCH_ROWS, CHUNK));
    if (planned.scratchpad.has_shares()) planned.scratchpad.set_shares(MAX_SHARES);
    return planned;
}

// ---- backward: rows in place

// Later rows of data that come from memory are prefetched as rows are reduced, if they are evenly spaced. The
// processors' own prefetchers follow one row best, so the bands of such rows are short: at most 1 KB, or one row. On
// processors that prefetch to L1 bands of rows from the last level are as short, without prefetches, but not those of
// narrow types, which are bound by conversions and faster in pairs there.
void plan_backward_in_place(const problem &p, const row_tensors &tensors, const machine &m, dim_t row_bytes, plan &to) {
    const dim_t bytes = data_bytes(p, tensors);
    to.panel_columns = p.row_length();
    to.batch_rows = p.row_length() > CHUNK ? jit::PAIR
                    : to.band_rows > 0     ? MAX_BATCH_ROWS
                                           : batch_of(BATCH_BYTES, row_bytes);
    if (p.writes(DIFF_SRC) && takes_non_temporal_stores(p, p[DIFF_SRC]))
        to.non_temporal_threads = non_temporal_threads_for(bytes, m);
    if (!are_evenly_spaced(tensors)) return;
    const bool from_memory = come_from_memory(bytes, m);
    const bool from_last_level = m.prefetch == 1 && bytes > m.l2 && !is_narrow(p);
    if (from_memory || from_last_level) to.band_rows = std::min(to.band_rows, batch_of(PREFETCHED_BAND / 2, row_bytes));
    if (from_memory) to.prefetch = int(m.prefetch);
}

// ---- backward: tiles

// How many consecutive rows a tile must have so that gathering it uses cache lines whole, if so many fit into a tile,
// which may be twice as large where there is no other way. 1 if any number will do.
dim_t rows_for_whole_lines(const memory_desc &md, int row_ndims, dim_t row_bytes) {
    const row_order in_memory = order_in_memory(md, row_ndims);
    for (int i = row_ndims - 1; i >= 0; --i) {
        const int d = in_memory[size_t(i)];
        dim_t rows = tensor_axis(md, d, d + 1).group_size();
        for (int inner = d + 1; rows > 1 && inner < row_ndims; ++inner) rows *= md.dims[inner];
        if (rows <= MAX_TILE_ROWS && rows * row_bytes <= 2 * TILE_BYTES) return rows;
    }
    return 1;
}

// If one tensor needs a tile, all of them have one. Rows of more than a chunk are gathered chunk by chunk. They are not
// interleaved, since every strand would need a tile of its own. If cache lines are shared by rows of several row
// blocks, threads take chunks of all such long rows, so that a tile can have rows of many blocks.
void plan_backward_tiles(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    to.rows = row_access::tiles;
    to.prefetch = prefetch_of_tiles(data_bytes(p, tensors), m);
    to.panel_columns = std::min(p.row_length(), CHUNK);
    to.batch_rows = MAX_BATCH_ROWS;
    const dim_t row_bytes = row_tiles(p, tensors, to.panel_columns).row_bytes;
    to.tile_rows = tile_rows_for(row_bytes);
    if (wants_gradients(p)) {
        const dim_t whole_lines = rows_for_whole_lines(leading_tensor(tensors), p.row_ndims(), row_bytes);
        const interleaved_blocks units = interleaved_blocks_of(p, tensors);
        if (p.row_length() > CHUNK && whole_lines > units.block_rows()) to.chunks_from = 1;
        if (p.row_length() > CHUNK || !units.exist()) {
            to.tile_rows = std::max(to.tile_rows, whole_lines);
        } else {
            to.rows = row_access::interleaved;
            to.batch_rows = std::clamp<dim_t>(to.tile_rows / units.strands_of_unit(), 1, units.block_rows());
            to.tile_rows = to.batch_rows * units.strands_of_unit();
        }
    }
    to.scratchpad.book(scratch::tiles, to.tile_rows * row_bytes);
}

// ---- backward

plan backward_plan(const problem &p, const machine &m) {
    plan planned;
    const row_tensors tensors = row_tensors_of(p);
    const gradient_layout layout(p, !has_own_rows(p));
    const dim_t row_bytes = p.row_length() * (element_size(p[SRC]) + element_size(p[DIFF_DST]));
    if (may_go_in_bands(p)) // in pairs of rows, which share the loads and stores of the column sums
        planned.band_rows = std::min({2 * batch_of(BAND_BYTES, 2 * row_bytes), MAX_BATCH_ROWS, p.rows()});
    if (have_dense_rows(tensors))
        plan_backward_in_place(p, tensors, m, row_bytes, planned);
    else
        plan_backward_tiles(p, tensors, m, planned);

    const auto threads_of = [&](dim_t shares) {
        return std::min(threads_for(shared_work(p, tensors), shares, m.threads_sleep), MAX_SHARES);
    };
    planned.row_threads = threads_of(layout.gradients() > 0 ? layout.cut().parts() : p.rows());
    if (p.row_length() > CHUNK) {
        planned.chunk_threads = threads_of(layout.chunks());
        if (p.row_length() > LONG_ROW) planned.chunks_from = 1;
        if (planned.chunks_from != 1) planned.share_chunks(2); // chunks are read twice
    }
    layout.book(planned);
    planned.scratchpad.set_shares(std::max(planned.may_share_rows() ? planned.row_threads : 1, planned.chunk_threads));
    return planned;
}

} // namespace

plan make_plan(const problem &p, const machine &m) {
    if (p.has_runtime_sizes()) return p.is_forward() ? forward_plan_for_any_size(p) : plan{};
    if (!p.has_elements()) return {};
    return p.is_forward() ? forward_plan(p, m) : backward_plan(p, m);
}

bool wants_gradients(const problem &p) { return p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT); }
bool writes_gradients_of_rows(const problem &p) {
    const bool is_one_row = !p.has_runtime_sizes() && p.rows() == 1 && !p.is_partial();
    return wants_gradients(p) && (has_own_rows(p) || is_one_row);
}
bool wants_row_sums(const problem &p) { return p.writes(DIFF_SRC) && !p.has(jitnorm_use_global_stats); }

bool may_go_in_bands(const problem &p) {
    if (!p.is_forward())
        return p.row_length() <= CHUNK && p.writes(DIFF_SRC) && (wants_row_sums(p) || wants_gradients(p));
    return !p.computes_in_double() && p.finds_statistics() && p.writes(DST) &&
           (!p.has_dynamic_scales() || columns_per_scale(p) == p.row_length());
}

bool normalizes_the_sum(const problem &p) { return p.writes(SUM) && p[SUM].data_type == p.row_type(); }

dim_t sum_pitch(const problem &p, const plan &planned) {
    const bool keeps_rows = planned.rows == row_access::in_place || planned.panel_columns == p.row_length();
    if (!p.reads(RESIDUAL) || (keeps_rows && normalizes_the_sum(p))) return 0;
    return row_packer::pitch_for(p.row_type(), planned.panel_columns);
}

jit::prefetch_to prefetch_of(const plan &planned) {
    if (planned.prefetch == 0 || planned.rows != row_access::in_place) return jit::prefetch_to::nowhere;
    return planned.prefetch == 1 ? jit::prefetch_to::l1 : jit::prefetch_to::l2;
}

// Results of rows in place go past the caches only where the rows are prefetched.
bool takes_single_batch(const problem &p, const plan &planned) {
    return p.is_forward() && planned.rows == row_access::in_place && planned.goes_by_bands_only() &&
           planned.takes_one_thread() && planned.prefetch == 0 && p.rows() <= planned.batch_rows &&
           are_evenly_spaced(row_tensors_of(p));
}

} // namespace jitnorm::impl::layer_norm
