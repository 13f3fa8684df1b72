// SPDX-License-Identifier: Apache-2.0
#include "make_plan.hpp"

#include <algorithm>

#include "../math/constants.hpp"
#include "../math/moments.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "../tensor/row_space.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"
#include "quantizer.hpp"
#include "row_order.hpp"
#include "rows_in_place.hpp"
#include "single_batch.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool has_gathered_operands(const problem &p) {
    return p.computes_in_double() ? post_op_operands<double>::needs_tiles(p) : post_op_operands<float>::needs_tiles(p);
}
dim_t operand_bytes(const problem &p, dim_t rows, dim_t columns) {
    return p.computes_in_double() ? post_op_operands<double>::tiles_bytes(p, rows, columns)
                                  : post_op_operands<float>::tiles_bytes(p, rows, columns);
}

// ---- batches

// Rows that come from memory are written while the next ones are reduced; forward of narrow types is bound by
// conversions, not by memory, until the data leave the last level. The processor itself prefetches rows that are not
// much longer than a page, and L2 has room for longer ones.
constexpr dim_t SHORTEST_ROW_FOR_L2 = 6 * 1024; // bytes
void plan_batches_in_place(const problem &p, const machine &m, plan &to) {
    const dim_t src_row = p.row_length() * element_size(p[SRC]), dst_row = p.row_length() * element_size(p[DST]);
    const dim_t bytes = p.rows() * (src_row + dst_row);
    to.batch_rows = batch_of(m.batch, src_row);
    if (forward_kernels<float>::may_go_in_one_loop(p))
        to.one_loop_threads = one_loop_threads_for(bytes, is_narrow(p) ? m.last_level : from_memory(m), m);
    to.prefetch_to_l2 = m.prefetch == 2 && come_from_memory(bytes, m) && src_row >= SHORTEST_ROW_FOR_L2;
}

// ---- bands of rows

// How many rows one kernel reduces before it writes them: so many that they stay in L1 beside what is written, a
// multiple of those whose lanes are added up together.
constexpr dim_t BAND_BYTES = 12 * 1024;
dim_t band_rows_for(dim_t row_bytes) {
    const dim_t rows = batch_of(BAND_BYTES, row_bytes);
    return rows > jit::BAND_UNIT ? rows / jit::BAND_UNIT * jit::BAND_UNIT : rows;
}

// The values of rows before they are quantized take as much room as rows of f32.
dim_t band_rows_for(const problem &p) {
    return band_rows_for(p.row_length() * dim_t(p.has_dynamic_scales() ? sizeof(float) : size_of(p.row_type())));
}

void plan_bands(const problem &p, const row_tensors &tensors, plan &to) {
    const bool whole_rows = to.panel_columns == p.row_length() && p.row_length() <= CHUNK;
    if (!whole_rows || !forward_kernels<float>::may_go_in_bands(p)) return;
    if (to.one_loop_threads == INT_MAX) return; // no batch goes in bands
    to.band_rows = band_rows_for(p);
    if (to.rows != row_access::in_place || to.one_loop_threads > 0) return;
    if (to.sum_pitch == 0) to.batch_rows = std::min(p.rows(), MAX_BATCH_ROWS);
    to.single_batch = to.takes_one_thread() && p.rows() <= to.batch_rows && single_batch::take(p, tensors);
}

// Results of data that come from memory go past the caches, but not two streams of them.
int non_temporal_threads_of(const problem &p, dim_t bytes, const machine &m) {
    if (!p.writes(DST) || p.writes(PRE_QUANTIZATION) || p.has_dynamic_scales() || !takes_non_temporal_stores(p, p[DST]))
        return 0;
    return non_temporal_threads_for(bytes, p.reads(RESIDUAL) ? m.shared_others : m.shared_forward, m);
}

// If the output for the sum holds the sums as they are normalized, the kernels read them there, which leaves L1 to the
// data. Otherwise sums have a tile. It has whole rows as long as these stay in L2.
constexpr dim_t LONGEST_TILED_ROW = 64 * 1024;          // bytes
constexpr dim_t MOST_SUM_BYTES = 2 * LONGEST_TILED_ROW; // of any plan's tile of sums, without the lines between rows

void plan_batches_of_sums(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    const dim_t row = p.row_length() * dim_t(size_of(p.row_type()));
    const bool are_the_output = forward_kernels<float>::normalizes_the_sum(p);
    if (!are_the_output && row > LONGEST_TILED_ROW) to.panel_columns = std::min(p.row_length(), CHUNK);
    if (!are_the_output) to.sum_pitch = row_packer::pitch_for(p.row_type(), to.panel_columns);
    const dim_t bytes = data_bytes(p, tensors);
    if (forward_kernels<float>::may_go_in_one_loop(p))
        to.one_loop_threads = one_loop_threads_for(bytes, is_narrow(p) ? m.last_level : 0, m);
    to.batch_rows = batch_of(std::min(m.batch, MOST_SUM_BYTES), row);
    to.prefetch_to_l2 = m.prefetch == 2 && (is_narrow(p) || p.row_length() > CHUNK) && come_from_memory(bytes, m);
}

// ---- tiles: for every tensor whose rows are not dense

void choose_tiles(const problem &p, const row_tensors &tensors, dim_t columns, plan &to) {
    for (size_t i = 0; i < size_t(tensors.count); ++i) {
        const memory_desc &md = *tensors.data[i].md;
        to.pitch[i] = has_dense_rows(md, p.row_ndims()) ? 0 : row_packer::pitch_for(md.data_type, columns);
    }
    to.shares_tile = tensors.count == 2 && to.pitch[0] != 0 && to.pitch[0] == to.pitch[1] && !tensors.last().is_read &&
                     element_size(p[SRC]) == element_size(p[DST]);
    const bool is_kept = columns == p.row_length() && forward_kernels<float>::normalizes_the_sum(p); // in its output
    to.sum_pitch = p.reads(RESIDUAL) && !is_kept ? row_packer::pitch_for(p.row_type(), columns) : 0;
    to.panel_columns = columns;
}

// The bytes of a row in the tile with the largest elements.
dim_t widest_row(const problem &p, const row_tensors &tensors, const plan &planned) {
    dim_t element = planned.sum_pitch != 0 ? dim_t(size_of(p.row_type())) : 0;
    for (size_t i = 0; i < size_t(tensors.count); ++i)
        if (planned.pitch[i] != 0) element = std::max(element, element_size(*tensors.data[i].md));
    return p.row_length() * element;
}

// Rows of at most CHUNK elements are gathered whole. Longer rows are gathered whole, too, if the rows that share cache
// lines fit into the tiles together, and there are neither post-ops nor a residual, whose tiles have room for a chunk
// only. Otherwise rows are gathered chunk by chunk, and each chunk twice.
void plan_tiles(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    to.rows = row_access::tiles;
    choose_tiles(p, tensors, p.row_length(), to);
    if (p.row_length() > CHUNK) {
        const memory_desc &leading = leading_tensor(tensors);
        const auto order = order_in_memory(leading, p.row_ndims());
        const tensor_axis rows(with_row_order(leading, p.row_ndims(), order), 0, p.row_ndims());
        const dim_t together = std::min(rows.group_size(), rows.size());
        if (!p.attr.post_ops.entries.empty() || p.reads(RESIDUAL) ||
            together * pitch_together(tensors, to) > TILE_BYTES)
            choose_tiles(p, tensors, CHUNK, to);
    }
    const bool whole_rows = to.panel_columns == p.row_length();
    const dim_t pitch = pitch_together(tensors, to) + to.sum_pitch;
    to.tile_rows = std::min(whole_rows ? MAX_TILE_ROWS : MAX_BATCH_ROWS, tile_rows_for(pitch));
    to.batch_rows = to.tile_rows;
    if (whole_rows) to.batch_rows = std::min(to.tile_rows, batch_of(m.batch, widest_row(p, tensors, to)));
    if (p.row_length() > CHUNK && whole_rows) to.batch_rows = 1;
    to.prefetch_to_l2 = m.prefetch == 2 && come_from_memory(data_bytes(p, tensors), m);
}

// ---- scales that are found

// A group longer than the tile of values goes in pieces. If rows are gathered, the panels are not cut into smaller ones
// for this, because each of them would be gathered again.
constexpr dim_t VALUE_BYTES = 64 * 1024;

// If a row has more groups than a batch has rows, there are fewer calls of kernels if each takes groups of one row; but
// operands of post-ops are found for whole rows.
void plan_scales(const problem &p, plan &to) {
    constexpr dim_t FLOAT = sizeof(float);
    const dim_t width = columns_per_scale(p);
    const dim_t most =
        to.rows == row_access::in_place ? std::min(to.panel_columns, VALUE_BYTES / FLOAT) : to.panel_columns;
    to.value_columns = std::min(width, most);
    const dim_t together = batch_of(VALUE_BYTES, to.value_columns * FLOAT);
    if (to.panel_columns == p.row_length()) to.batch_rows = std::min(to.batch_rows, together);
    const bool has_operands = std::ranges::any_of(
        p.attr.post_ops.entries, [](const post_op &entry) { return std::holds_alternative<binary_post_op>(entry); });
    if (to.value_columns == width && scales_per_row(p) > to.batch_rows && !has_operands) to.groups_together = together;
}

// After plan_bands(), because a band needs the tile for its own rows.
void book_values(plan &to) {
    const dim_t groups = to.groups_together != 0 ? to.groups_together : to.batch_rows;
    to.scratchpad.book(scratch::values,
                       (to.band_rows != 0 ? to.band_rows : groups) * to.value_columns * dim_t(sizeof(float)));
}

// ---- threads

void plan_threads(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    const dim_t bytes = data_bytes(p, tensors);
    const dim_t chunks = p.rows() * divide_up(p.row_length(), CHUNK);
    to.row_threads = threads_for(bytes, FORWARD_BYTES_PER_THREAD, p.rows(), m.threads_sleep);
    const bool one_pass = !p.writes(DST) && p.reads(RESIDUAL); // the sum is written as it is reduced
    if (p.row_length() <= CHUNK || p.rows() >= MAX_SHARES || p.has_dynamic_scales() || one_pass) return;
    to.chunk_threads = std::min(threads_for(bytes, FORWARD_BYTES_PER_THREAD, chunks, m.threads_sleep), MAX_SHARES);
    if (!p.uses(ROW_SUMS))
        to.scratchpad.book(scratch::moments,
                           chunks * dim_t(p.computes_in_double() ? sizeof(moments<double>) : sizeof(moments<float>)));
}

} // namespace

plan forward_plan(const problem &p, const machine &m) {
    plan planned;
    const row_tensors tensors = row_tensors_of(p);
    const dim_t bytes = data_bytes(p, tensors);
    plan_threads(p, tensors, m, planned);
    if (rows_in_place::take(tensors)) {
        planned.panel_columns = has_gathered_operands(p) ? std::min(p.row_length(), CHUNK) : p.row_length();
        p.reads(RESIDUAL) ? plan_batches_of_sums(p, tensors, m, planned) : plan_batches_in_place(p, m, planned);
    } else {
        plan_tiles(p, tensors, m, planned);
    }
    if (p.has_dynamic_scales()) plan_scales(p, planned);
    plan_bands(p, tensors, planned);
    if (p.has_dynamic_scales()) book_values(planned);
    if (planned.rows == row_access::in_place) planned.non_temporal_threads = non_temporal_threads_of(p, bytes, m);
    planned.scratchpad.book(scratch::tiles, planned.tile_rows * pitch_together(tensors, planned));
    const dim_t tiles_of_sums = planned.one_loop_threads > 0 ? 2 : 1; // of the rows to write, of those to reduce
    planned.scratchpad.book(scratch::sum_rows, tiles_of_sums * planned.batch_rows * planned.sum_pitch);
    planned.scratchpad.book(scratch::operands, operand_bytes(p, planned.batch_rows, planned.panel_columns));
    if (!planned.scratchpad.has_shares()) return planned;
    planned.row_threads = std::min(planned.row_threads, MAX_SHARES);
    planned.scratchpad.set_shares(std::max(planned.row_threads, planned.chunk_threads));
    return planned;
}

plan forward_plan_for_any_size(const problem &p) {
    plan planned;
    const row_tensors tensors = row_tensors_of(p);
    if (rows_in_place::take(tensors) && !has_gathered_operands(p) && !p.reads(RESIDUAL)) return planned;
    planned.scratchpad.book(scratch::tiles, TILE_BYTES);
    if (p.reads(RESIDUAL)) planned.scratchpad.book(scratch::sum_rows, MOST_SUM_BYTES);
    planned.scratchpad.book(scratch::operands, operand_bytes(p, MAX_BATCH_ROWS, CHUNK));
    planned.scratchpad.set_shares(MAX_SHARES);
    return planned;
}

} // namespace jitnorm::impl::layer_norm
