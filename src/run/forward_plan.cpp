// SPDX-License-Identifier: Apache-2.0
#include "make_plan.hpp"

#include <algorithm>

#include "../math/constants.hpp"
#include "../math/moments.hpp"
#include "../norm/problem.hpp"
#include "../tensor/row_packer.hpp"
#include "../tensor/row_space.hpp"
#include "few_rows.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"
#include "row_order.hpp"
#include "rows_in_place.hpp"

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

// Whether so many bytes of data, which fill half of the last level or more, have left it in such a part that smaller
// batches are better.
bool leaves_caches(dim_t bytes, const machine &m) { return bytes >= m.last_level / 8 * (m.batches_in_l1 ? 4 : 5); }

// Whether a row has left L1 in part before it is normalized.
bool leaves_l1(dim_t row_bytes, const machine &m) { return 2 * row_bytes >= m.l1; }

// How many rows of `row` bytes make a batch that stays in L2. Rows that leave L1 before they are normalized share the
// loads of scale and shift.
constexpr dim_t LONG_ROWS_TOGETHER = 4;
dim_t near_rows(const problem &p, dim_t row, const machine &m) {
    if (m.batches_in_l1 && p.row_length() > CHUNK) return 1;
    const dim_t rows = batch_of(near_batch(m), row);
    return leaves_l1(row, m) ? std::max(rows, std::min(LONG_ROWS_TOGETHER, batch_of(m.l2, row))) : rows;
}

bool is_narrow_result(const problem &p) { return element_size(p[DST]) < p.compute_size(); }

// Conversions of types take more time than loads from L2, and fewer batches need fewer steps.
dim_t batch_rows_of(const problem &p, dim_t bytes, dim_t src_row, const machine &m) {
    const bool far = leaves_caches(bytes, m), converts = is_narrow(p) || is_narrow_result(p);
    if (m.overlaps_batches || (m.batches_in_l1 && (far || !converts)))
        return p.row_length() > CHUNK ? 1 : batch_of(IN_CACHE_BATCH, src_row);
    return far && !leaves_l1(src_row, m) ? batch_of(FAR_BATCH, src_row) : near_rows(p, src_row, m);
}

// How the next batch is prefetched where batches are not overlapped: either batches stay in L1, and it must fit there
// beside the current one; or the processor itself prefetches rows that are not much longer than a page, and L2 has room
// for longer ones.
constexpr dim_t SHORTEST_ROW_FOR_L2 = 6 * 1024; // bytes
void plan_prefetches(dim_t bytes, dim_t src_row, const machine &m, plan &to) {
    to.prefetch_to_l2 = !m.batches_in_l1 && come_from_memory(bytes, m) && src_row >= SHORTEST_ROW_FOR_L2;
    const bool to_l1 = m.batches_in_l1 && leaves_caches(bytes, m) && src_row <= IN_CACHE_BATCH;
    to.prefetch_threads = to.prefetch_to_l2 || to_l1 ? INT_MAX : 0;
}

// Rows go through the kernel in pairs, which share the loads of scale and shift. If they come from memory, a batch is
// written while the next one is reduced on a machine that overlaps batches; forward of narrow types is bound by
// conversions, not by memory, until the data leave the last level. On another machine rows go one by one then, which
// needs fewer memory streams.
void plan_batches_in_place(const problem &p, const machine &m, plan &to) {
    const dim_t src_row = p.row_length() * element_size(p[SRC]), dst_row = p.row_length() * element_size(p[DST]);
    const dim_t bytes = p.rows() * (src_row + dst_row);
    to.batch_rows = batch_rows_of(p, bytes, src_row, m);
    if (forward_kernels<float>::may_go_in_one_loop(p))
        to.one_loop_threads = one_loop_threads_for(bytes, (is_narrow(p) ? m.last_level : from_memory(m)) - 1, m);
    if (!m.overlaps_batches) plan_prefetches(bytes, src_row, m, to);
    to.rows_per_pass = !m.overlaps_batches && leaves_caches(bytes, m) ? 1 : 2;
}

// Before the scalar steps of a batch, the numbers that a kernel has stored for them wait until the stores before them
// have left for the cache. If these are sums with a residual that leave for L2, and no types are converted meanwhile,
// this takes longer than the scalar steps of rows one by one, which wait for nothing in memory; but not where batches
// are large.
//
// Where batches are not overlapped, rows that come from memory are better alone, too: the processor, or the kernel by
// instructions, prefetches the next ones while a row is written, and no batch's steps interrupt the reads. On Zen 5
// conversions of types hide the steps of a batch, unless the row is so long that its own take little of its time.
//
// A batch of one row has nothing that the row alone does not have.
constexpr dim_t SHORTEST_FORWARD_ROW_ALONE = 768; // bytes, for which the call for a row pays
constexpr dim_t SHORTEST_NARROW_ROW_ALONE = 3072; // elements
bool rows_are_better_alone(const problem &p, dim_t bytes, const machine &m, const plan &planned) {
    if (planned.batch_rows == 1 && !p.reads(RESIDUAL)) return true;
    const dim_t row = p.row_length() * dim_t(size_of(p.row_type()));
    if (row < SHORTEST_FORWARD_ROW_ALONE) return false;
    if (m.overlaps_batches) return p.reads(RESIDUAL) && planned.sum_pitch == 0 && !is_narrow(p) && bytes > m.l1;
    if (p.reads(RESIDUAL) || leaves_l1(row, m)) return false;
    if (!m.batches_in_l1) return come_from_memory(bytes, m);
    return leaves_caches(bytes, m) && (!is_narrow(p) || p.row_length() >= SHORTEST_NARROW_ROW_ALONE);
}

// The executor of few rows does less for each call, but in batches rows that leave L1 share the loads of scale and
// shift.
bool are_few(const problem &p, const row_tensors &tensors, const machine &m, const plan &planned) {
    return planned.takes_one_thread() && planned.panel_columns == p.row_length() && few_rows::take(p, tensors) &&
           (p.rows() == 1 || !leaves_l1(p.row_length() * dim_t(size_of(p.row_type())), m));
}

// How many rows of data in the caches one kernel reduces and then normalizes, so that they stay in L1 beside their
// results; 0 if several kernels do a batch. The root mean square of floats takes so little work that the second read
// from L2 and the calls for a batch count. Layer normalization, conversions and sums with a residual take more; short
// rows are reduced faster by a kernel of their own.
constexpr dim_t BYTES_IN_KERNEL = 12 * 1024;
constexpr dim_t SHORTEST_ROW_IN_KERNEL = 1024; // bytes
dim_t rows_in_kernel(const problem &p, const plan &planned) {
    const dim_t row = p.row_length() * element_size(p[SRC]);
    if (!p.is_rms() || p.reads(RESIDUAL) || is_narrow(p) || is_narrow_result(p) || row < SHORTEST_ROW_IN_KERNEL)
        return 0;
    if (planned.alone != rows_alone::none || planned.one_loop_threads > 0 || planned.prefetch_threads > 0) return 0;
    const dim_t rows = batch_of(BYTES_IN_KERNEL, row);
    return planned.non_temporal_threads == 0 && rows > 1 ? rows : 0;
}

// Results of data that come from memory go past the caches, but not two streams of them. If the data would fit into the
// last level, only those of one thread do, because several threads together read and write the last level faster than
// memory. Where batches are not overlapped, those beside sums go there with any number of threads, but not those of
// other rows that go alone, which do not wait for their reads.
int non_temporal_threads_for(const problem &p, dim_t bytes, const machine &m, const plan &planned) {
    if (!p.writes(DST) || p.writes(PRE_QUANTIZATION) || !takes_non_temporal_stores(p, p[DST])) return 0;
    if (!come_from_memory(bytes, m)) return 0;
    if (bytes >= m.last_level) return INT_MAX;
    if (m.overlaps_batches) return 1;
    if (p.reads(RESIDUAL)) return INT_MAX;
    return planned.alone != rows_alone::none ? 0 : 1;
}

// If the output for the sum holds the sums as they are normalized, the kernels read them there, which leaves L1 to the
// data. Otherwise sums have a tile. It has whole rows as long as these stay in L2.
//
// A batch of sums stays in L1 until it is normalized, or in L2 on a machine that does not overlap batches, unless they
// stay in L1 and the data near L2.
constexpr dim_t LONGEST_TILED_ROW = 64 * 1024;          // bytes
constexpr dim_t MOST_SUM_BYTES = 2 * LONGEST_TILED_ROW; // of any plan's tile of sums, without the lines between rows

void plan_batches_of_sums(const problem &p, const row_tensors &tensors, const machine &m, plan &to) {
    const dim_t row = p.row_length() * dim_t(size_of(p.row_type()));
    const bool are_the_output = forward_kernels<float>::normalizes_the_sum(p);
    if (!are_the_output && row > LONGEST_TILED_ROW) to.panel_columns = std::min(p.row_length(), CHUNK);
    if (!are_the_output) to.sum_pitch = row_packer::pitch_for(p.row_type(), to.panel_columns);
    const dim_t bytes = data_bytes(p, tensors);
    if (forward_kernels<float>::may_go_in_one_loop(p))
        to.one_loop_threads = one_loop_threads_for(bytes, is_narrow(p) ? m.last_level : LOOP_FROM_L2 * m.l2, m);
    const bool far = bytes > FAR_FROM_L2 * m.l2, in_l1 = m.overlaps_batches || (m.batches_in_l1 && !far);
    if (in_l1)
        to.batch_rows = p.row_length() > CHUNK ? 1 : batch_of(IN_CACHE_BATCH, row);
    else
        to.batch_rows = std::min(near_rows(p, row, m), batch_of(MOST_SUM_BYTES, row));
    to.rows_per_pass = to.one_loop_threads == 0 && far ? 1 : 2;
    to.prefetch_to_l2 = !m.batches_in_l1 && (is_narrow(p) || p.row_length() > CHUNK) && come_from_memory(bytes, m);
}

// ---- tiles: for every tensor whose rows are not dense

void choose_tiles(const problem &p, const row_tensors &tensors, dim_t columns, plan &to) {
    for (size_t i = 0; i < size_t(tensors.count); ++i) {
        const memory_desc &md = *tensors.data[i].md;
        to.pitch[i] = has_dense_rows(md, p.row_ndims()) ? 0 : row_packer::pitch_for(md.data_type, columns);
    }
    to.shares_tile = tensors.count == 2 && to.pitch[0] != 0 && to.pitch[0] == to.pitch[1] && !tensors.last().is_read &&
                     element_size(p[SRC]) == element_size(p[DST]);
    to.sum_pitch = p.reads(RESIDUAL) ? row_packer::pitch_for(p.row_type(), columns) : 0;
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
    const dim_t batch = m.batches_in_l1 ? IN_CACHE_BATCH : near_batch(m);
    to.batch_rows = whole_rows ? std::min(to.tile_rows, batch_of(batch, widest_row(p, tensors, to))) : to.tile_rows;
    if (p.row_length() > CHUNK && whole_rows) to.batch_rows = 1;
    to.rows_per_pass = 2;
    to.prefetch_to_l2 = !m.batches_in_l1 && come_from_memory(data_bytes(p, tensors), m);
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
    const dim_t rows = to.groups_together != 0 ? to.groups_together : to.batch_rows;
    to.scratchpad.book(scratch::values, rows * to.value_columns * FLOAT);
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
    planned.columns_to_write = planned.panel_columns;
    if (planned.rows == row_access::in_place) // tiles would be gathered again
        planned.columns_to_write = std::min(planned.panel_columns, columns_to_write(p, m));
    const bool may_go_in_one_kernel =
        planned.rows == row_access::in_place && forward_kernels<float>::may_go_in_one_kernel(p);
    if (may_go_in_one_kernel) {
        const auto are_better_alone = [&](dim_t of) { return rows_are_better_alone(p, of, m, planned); };
        if (are_few(p, tensors, m, planned))
            planned.alone = rows_alone::few;
        else if (p.row_length() <= CHUNK && are_better_alone(bytes))
            planned.alone = are_better_alone(p.rows() * p.row_length() * element_size(p[SRC])) ? rows_alone::all
                                                                                               : rows_alone::apart;
    }
    if (planned.rows == row_access::in_place)
        planned.non_temporal_threads = non_temporal_threads_for(p, bytes, m, planned);
    if (may_go_in_one_kernel) planned.rows_in_kernel = rows_in_kernel(p, planned);
    if (planned.rows_in_kernel > 0 || (planned.alone != rows_alone::none && !m.overlaps_batches))
        planned.batch_rows = std::min(p.rows(), MAX_BATCH_ROWS);
    if (p.has_dynamic_scales()) plan_scales(p, planned);
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
