// SPDX-License-Identifier: Apache-2.0
#include "make_plan.hpp"

#include <algorithm>

#include "../base/environment.hpp"
#include "../tensor/row_packer.hpp"
#include "../tensor/row_space.hpp"
#include "gradient_sums.hpp"
#include "row_order.hpp"
#include "rows_in_place.hpp"
#include "rows_interleaved.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// A thread is worth starting for so many bytes. They are more than in forward, because the sums of a thread must be
// merged with those of the others.
constexpr dim_t BACKWARD_BYTES_PER_THREAD = 24 * 1024;

// The same where the sums of parts are merged. They lie in the caches of the cores that have computed them, from which
// one thread reads them slowly.
constexpr dim_t MERGED_BYTES_PER_THREAD = 6 * 1024;

// A row of more elements does not stay in L2 until its diff_src is computed. Then threads take chunks of all rows.
constexpr dim_t LONG_ROW = 128 * 1024;

// Tiles may be this large if sums must be added in the order of the rows and there is no other way to use cache lines
// whole.
constexpr dim_t LARGEST_TILE_BYTES = 2 * TILE_BYTES;

bool wants_gradients(const problem &p) { return p.writes(DIFF_SCALE) || p.writes(DIFF_SHIFT); }

// ---- bands of rows, and batches

// Rows of src and diff_dst of so many bytes are in L1 or near it when they are written. Pairs of rows, which share the
// loads and stores of the sums over columns, are worth more than that.
constexpr dim_t BAND_BYTES = 8 * 1024;

void plan_bands(const problem &p, plan &to) {
    if (p.row_length() > CHUNK || !backward_kernels<float>::does_both(p)) return;
    const dim_t row_bytes = p.row_length() * (element_size(p[SRC]) + element_size(p[DIFF_DST]));
    to.band_rows = std::clamp<dim_t>(BAND_BYTES / row_bytes / 2 * 2, 2, MAX_BATCH_ROWS);
}

// Rows of more than a chunk leave L1 before their diff_src is computed, however few there are. They are done several at
// a time, as far as they stay in L2: the sums over columns come from L2 only once for every two rows. Other rows that
// do not go in bands are written while the next ones are reduced, and stay in L1 if they can.
dim_t batch_rows_of(const problem &p, dim_t row_bytes, const machine &m) {
    if (p.row_length() <= CHUNK && m.one_loop > 0) return batch_of(m.batch, row_bytes);
    dim_t rows = m.long_rows;
    while (rows > 2 && rows * row_bytes > m.l2 / 2) rows /= 2;
    return rows;
}

// Some processors prefetch later rows: the next band while one is written, when nothing else reads memory. But where
// stores pass the caches, which wait for the same buffers as prefetches, their own prefetchers follow one row best,
// unless it is short. Such rows go one by one, and prefetch while they are reduced.
constexpr dim_t SHORTEST_ROW_ALONE = 768; // bytes of src and diff_dst

void plan_batches_in_place(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    const dim_t bytes = data_bytes(p, tensors);
    const dim_t row_bytes = p.row_length() * (element_size(p[SRC]) + element_size(p[DIFF_DST]));
    to.panel_columns = p.row_length();
    if (backward_kernels<float>::does_both(p)) to.one_loop_threads = one_loop_threads_for(bytes, 0, m);
    if (to.one_loop_threads == INT_MAX) to.band_rows = 0; // no batch goes in bands
    const bool in_steps = to.one_loop_threads > 0 || to.band_rows == 0;
    to.batch_rows = in_steps ? batch_rows_of(p, row_bytes, m) : MAX_BATCH_ROWS;
    if (p.writes(DIFF_SRC) && takes_non_temporal_stores(p, p[DIFF_SRC]))
        to.non_temporal_threads = non_temporal_threads_for(bytes, m.shared_others, m);
    if (m.prefetch == 0 || to.band_rows == 0 || 2 * bytes < from_memory(m)) return;
    if (to.non_temporal_threads > 0 && row_bytes >= SHORTEST_ROW_ALONE) to.band_rows = 1;
    to.prefetch_to_l1 = m.prefetch == 1;
    to.prefetch_to_l2 = m.prefetch == 2;
}

// ---- tiles

dim_t pitch_of(const problem &p, const memory_desc &md) {
    return row_packer::pitch_for(std::min(p.row_length(), CHUNK) * element_size(md));
}

// How many consecutive rows a tile must have so that gathering it uses cache lines whole, if so many fit into a tile. 1
// if any number will do.
dim_t rows_for_whole_lines(const memory_desc &md, int row_ndims, dim_t pitch) {
    const row_order in_memory = order_in_memory(md, row_ndims);
    for (int i = row_ndims - 1; i >= 0; --i) {
        const int d = in_memory[size_t(i)];
        dim_t rows = tensor_axis(md, d, d + 1).group_size();
        for (int inner = d + 1; rows > 1 && inner < row_ndims; ++inner) rows *= md.dims[inner];
        if (rows <= MAX_TILE_ROWS && rows * pitch <= LARGEST_TILE_BYTES) return rows;
    }
    return 1;
}

// If one tensor needs a tile, all of them have one. Rows of more than a chunk are gathered chunk by chunk. They are not
// interleaved, since every strand would need a tile of its own. If cache lines are shared by rows of several row
// blocks, threads take chunks of all such long rows, so that a tile can have rows of many blocks.
void plan_tiles(const problem &p, const row_tensors &tensors, const machine &m, dim_t block_rows, plan &to) {
    to.rows = row_access::tiles;
    to.prefetch_to_l2 = m.prefetch == 2 && come_from_memory(data_bytes(p, tensors), m);
    to.panel_columns = std::min(p.row_length(), CHUNK);
    to.batch_rows = MAX_BATCH_ROWS;
    const memory_desc &before_last = *tensors.data[size_t(tensors.count - 2)].md;
    to.shares_tile = p.writes(DIFF_SRC) && element_size(p[DIFF_SRC]) == element_size(before_last);
    for (size_t i = 0; i < size_t(tensors.count); ++i) to.pitch[i] = pitch_of(p, *tensors.data[i].md);
    to.tile_rows = tile_rows_for(pitch_together(tensors, to));
    if (!wants_gradients(p)) return;
    const dim_t whole_lines = rows_for_whole_lines(leading_tensor(tensors), p.row_ndims(), pitch_together(tensors, to));
    to.only_chunks = p.row_length() > CHUNK && whole_lines > block_rows;
    const interleaved_blocks units = rows_interleaved::units_of(tensors, block_rows);
    if (p.row_length() > CHUNK || !units.exist()) {
        to.tile_rows = std::max(to.tile_rows, whole_lines);
        return;
    }
    to.rows = row_access::interleaved;
    to.block_rows = block_rows;
    to.batch_rows = std::clamp<dim_t>(to.tile_rows / units.strands_together(), 1, block_rows);
    to.tile_rows = to.batch_rows * units.strands_together();
}

// ---- threads

void plan_threads(const problem &p, const row_tensors &tensors, const machine &m, const gradient_layout &layout,
                  plan &to) {
    const dim_t bytes = data_bytes(p, tensors);
    const dim_t shares = layout.gradients() > 0 ? layout.cut().parts() : p.rows();
    to.row_threads = std::min(threads_for(bytes, BACKWARD_BYTES_PER_THREAD, shares, m.threads_sleep), MAX_SHARES);
    if (p.row_length() <= CHUNK) return;
    to.only_chunks |= p.row_length() > LONG_ROW;
    to.chunk_threads =
        std::min(threads_for(bytes, BACKWARD_BYTES_PER_THREAD, layout.chunks(), m.threads_sleep), MAX_SHARES);
    to.chunk_gain = 2; // chunks are read twice
}

} // namespace

int merging_threads(dim_t bytes, dim_t lines) {
    return threads_for(bytes, MERGED_BYTES_PER_THREAD, lines, the_environment().threads_sleep);
}

dim_t data_bytes(const problem &p, const row_tensors &tensors) {
    dim_t bytes = 0;
    for (size_t i = 0; i < size_t(tensors.count); ++i) bytes += tensors.data[i].size;
    return p.rows() * p.row_length() * bytes;
}

dim_t pitch_together(const row_tensors &tensors, const plan &planned) {
    if (planned.rows == row_access::in_place) return 0; // scales of rows and their gradients may be among the tensors
    dim_t pitch = 0;
    for (size_t i = 0; i < size_t(tensors.count); ++i) pitch += planned.pitch[i];
    return planned.shares_tile ? pitch - planned.pitch[size_t(tensors.count - 1)] : pitch;
}

plan backward_plan(const problem &p, const machine &m) {
    plan planned;
    const row_tensors tensors = row_tensors_of(p);
    const gradient_layout layout(p);
    plan_bands(p, planned);
    if (rows_in_place::take(tensors)) {
        plan_batches_in_place(p, tensors, m, planned);
    } else {
        plan_tiles(p, tensors, m, layout.cut().block_rows(), planned);
        planned.scratchpad.book(scratch::tiles, planned.tile_rows * pitch_together(tensors, planned));
    }
    plan_threads(p, tensors, m, layout, planned);
    layout.book(planned);
    const int by_rows = planned.only_chunks ? 1 : planned.row_threads;
    planned.scratchpad.set_shares(std::max(by_rows, planned.may_go_by_chunks(MAX_SHARES) ? planned.chunk_threads : 1));
    return planned;
}

} // namespace jitnorm::impl::layer_norm
