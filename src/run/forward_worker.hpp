// SPDX-License-Identifier: Apache-2.0
// forward_worker: a thread's part of an execution of forward, in the order in which things happen. In the common case
// one kernel does bands of rows from their inputs to dst. Otherwise a batch goes in steps: it is reduced to the moments
// of its rows, from which the statistics follow; then its rows are normalized. A residual is added as rows are reduced.
//
// Without dst a batch is only reduced, which also writes the sum. Problems that share columns find the moments of
// chunks in one execution, which has no dst, and read the moments of rows in another.
//
// Sums with a residual are kept in the tensor for the sum, if that has the type that is normalized. Otherwise they have
// a tile for the columns of one panel. If a panel has whole rows, its sums are computed once. If not, they are
// computed twice, to reduce them and to normalize them. Only the second time writes the output, because it may
// overwrite the residual in place.
#pragma once

#include "driver.hpp"
#include "forward.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T>
class forward<T>::worker : public basic_worker {
public:
    worker(const forward &direction, const row_source &rows, const arguments &given, const schedule &current,
           int number)
        : basic_worker(rows, direction.plan_, given, current, number), f_(direction),
          src_scale_(given[SRC_SCALE] ? T(load<float>(given[SRC_SCALE])) : T(1)),
          inverse_dst_scale_(f_.problem_.attr.dst_scale ? T(1) / T(load<float>(given[DST_SCALE])) : T(1)) {}

    // ---- a batch in bands: one kernel reduces and normalizes the rows

    [[gnu::noinline]] void do_bands(batch &b) {
        if constexpr (!std::is_same_v<T, float>) return; // no plan has bands for double
        const range all = {0, f_.C_};
        const statistics_rows statistics = at.open_statistics();
        const panel here = at.open(all);
        const strip x = rows_of(here);
        jit::forward_arguments<T> call = inline_arguments_for(here, x, b, all);
        call.band_rows = now.non_temporal ? planned.non_temporal_band_rows : planned.band_rows;
        call.prefetch = planned.non_temporal_band_rows * x.stride; // those of 16 KB, or one
        moments<T> rows[MAX_BATCH_ROWS];
        if (f_.C_ > CHUNK) f_.begin_chunks(call, rows);
        const auto &kernel = f_.kernels_->bands->choose(now.non_temporal);
        const found_scales found(call, get(scratch::values)); // only kernels that find scales write to it
        with_operands(call, {b.first, b.rows, 0, f_.C_}, [&] { kernel(call); });
        if (f_.quantizer_) f_.quantizer_->store_scales(b.first, b.rows, {0, 1}, found.scales, args[DST_SCALE]);
        at.close();
        f_.write_statistics(b, statistics);
    }

    // ---- a batch in steps

    [[gnu::always_inline]] void reduce(batch &b) {
        const statistics_rows statistics = at.open_statistics();
        if (f_.given_) return take_given(statistics, b);
        if (f_.writes_moments_) return find_moments(b, {0, f_.C_}, args[ROW_SUMS]);
        if (f_.C_ <= CHUNK)
            reduce_at_once(b);
        else
            reduce_long_rows(b);
        f_.write_statistics(b, statistics);
    }
    [[gnu::always_inline]] void write(batch &b) {
        if (f_.has_dst_) write_columns(b, {0, f_.C_});
    }

    // ---- the items are chunks

    void reduce_chunks(range items) {
        void *const found =
            f_.writes_moments_ ? args[ROW_SUMS] : planned.scratchpad.get(scratch::moments, args[SCRATCHPAD]);
        for_each_row(items, [&](batch &b, range chunks) { find_moments(b, f_.columns_of(chunks), found); });
    }

    // Each thread merges the moments of the rows that it normalizes.
    void write_chunks(range items) {
        const auto *const found = planned.scratchpad.get<moments<T>>(scratch::moments, args[SCRATCHPAD]);
        for_each_row(items, [&](batch &b, range chunks) {
            take_statistics(f_.given_ ? nullptr : found + b.first * f_.chunks(), chunks.begin == 0, b);
            if (f_.has_dst_) write_columns(b, f_.columns_of(chunks));
        });
    }

private:
    // ---- the arguments of kernels

    // Those of additions, reductions and normalizations, but operands, for these columns of a batch, whose rows to
    // normalize are `x`. The last line sets what the scalar steps read and write. A function of its own, since
    // everywhere inline it took 16 KB; do_bands() has it inline.
    [[gnu::noinline]] jit::forward_arguments<T> arguments_for(const panel &here, const strip &x, batch &b,
                                                              range columns) const {
        return inline_arguments_for(here, x, b, columns);
    }
    [[gnu::always_inline]] jit::forward_arguments<T> inline_arguments_for(const panel &here, const strip &x, batch &b,
                                                                          range columns) const {
        const auto shared = [&](slot s) { return strip{after(args[s], columns.begin * f_.scale_size_), 0}; };
        jit::forward_arguments<T> call;
        call.rows = b.rows;
        call.count = call.chunk = columns.end - columns.begin;
        call.x = copy_of(x);
        call.prefetch = b.rows * x.stride; // the next batch; bands set another distance
        if (f_.adds_) {
            const memory_desc &gate = f_.problem_[GATE];
            call.src = copy_of(here.src);
            call.residual = copy_of(here.second);
            call.sum = copy_of(here.sum);
            call.sum_bias = after(args[BIAS], columns.begin * dim_t(size_of(f_.problem_.attr.bias_type)));
            call.gate = after(args[GATE], (gate.offset0 + columns.begin) * element_size(gate));
        }
        call.scale = f_.own_scale_ ? copy_of(here.scale) : shared(SCALE);
        call.shift = f_.own_shift_ ? copy_of(here.shift) : shared(SHIFT);
        call.dst = copy_of(here.result);
        call.pre_quantization = copy_of(here.pre_quantization);
        call.src_scale = src_scale_;
        call.inverse_dst_scale = inverse_dst_scale_;
        call.parameters = f_.kernels_->post_op_parameters.data();
        f_.set_scalar_steps(call, b);
        return call;
    }

    // Calls run() when the operands of post-ops have been put into the arguments.
    template <typename Run>
    [[gnu::always_inline]] void with_operands(jit::forward_arguments<T> &call, const window &where, Run &&run) {
        if (f_.operands_.size() == 0)
            run();
        else
            locate_operands(call, where, run);
    }

    // Is a function of its own, because the table takes much of the stack.
    template <typename Run>
    [[gnu::noinline]] void locate_operands(jit::forward_arguments<T> &call, const window &where, Run &run) {
        typename post_op_operands<T>::table operands;
        f_.operands_.locate(args, where, get(scratch::operands), operands);
        call.operands = operands.pointers;
        run();
    }

    // ---- reduction

    // Is called when a panel has been reduced: where there is no dst, the sum with a residual has been written.
    void close_reduced() {
        if (!f_.has_dst_ && f_.adds_) at.close();
    }

    void reduce_at_once(batch &b) {
        const range all = {0, f_.C_};
        const panel here = at.open(all);
        const strip x = rows_to_reduce(here, b, all);
        (*f_.kernels_->reduce)(arguments_for(here, x, b, all));
        f_.find_statistics(x, b);
        close_reduced();
    }
    [[gnu::noinline]] void reduce_long_rows(batch &b) {
        moments<T> rows[MAX_BATCH_ROWS];
        for_each_chunk(b, {0, f_.C_},
                       [&](dim_t r, dim_t chunk, const moments<T> &found) { add_chunk(rows[r], chunk == 0, found); });
        f_.set_statistics(rows, b);
    }
    // Stores the moments of the chunks that these columns are, as the array `to` of those of all rows has them.
    [[gnu::noinline]] void find_moments(batch &b, range columns, void *to) {
        for_each_chunk(b, columns, [&](dim_t r, dim_t chunk, const moments<T> &found) {
            store(found, to, (b.first + r) * f_.chunks() + chunk);
        });
    }

    // Calls body(row of the batch, number of a chunk, its moments) for the chunks that these columns are; those of a
    // row come in order.
    template <typename Body>
    void for_each_chunk(batch &b, range columns, Body &&body) {
        for_each_panel(columns, [&](range some) {
            const panel here = at.open(some);
            if (f_.kernels_->reduced_addition) {
                add_and_reduce(here, b, some, body);
            } else {
                const strip x = rows_to_reduce(here, b, some);
                for (dim_t r = 0; r < b.rows; ++r)
                    f_.for_each_chunk(x.row(r), some, [&](dim_t chunk, const auto &found) { body(r, chunk, found); });
            }
            close_reduced();
        });
    }

    // ---- sums with a residual

    // The rows to normalize of a panel, to be reduced or to be written: its src or sums, which may have to be made.
    strip rows_to_reduce(const panel &here, batch &b, range columns) const {
        return f_.adds_ ? add(here, b, columns, !adds_again_) : here.src;
    }
    [[gnu::always_inline]] strip rows_to_write(const panel &here, batch &b, range columns) const {
        return adds_again_ || (f_.adds_ && f_.given_) ? add(here, b, columns, true) : rows_of(here);
    }
    // The place of these rows.
    strip rows_of(const panel &here) const {
        if (!f_.adds_) return here.src;
        if (f_.sum_pitch_ == 0) return here.sum;
        return {get(scratch::sum_rows), f_.sum_pitch_};
    }
    // Computes the sums of a panel. If they have a tile, `writes` says whether the output is written besides.
    [[gnu::noinline]] strip add(const panel &here, batch &b, range columns, bool writes) const {
        const strip sums = rows_of(here);
        choose(*f_.kernels_->addition, writes)(arguments_for(here, sums, b, columns));
        return sums;
    }
    const auto &choose(const typename kernels::addition_kernels &from, bool writes) const {
        return writes && f_.sum_pitch_ != 0 ? from.add_and_write : from.add;
    }
    // Computes the sums of a panel chunk by chunk, and reduces each chunk as it is added.
    template <typename Body>
    [[gnu::noinline]] void add_and_reduce(const panel &here, batch &b, range columns, Body &body) {
        const auto &kernel = choose(*f_.kernels_->reduced_addition, !adds_again_);
        jit::forward_arguments<T> call = arguments_for(here, rows_of(here), b, columns);
        for (dim_t begin = columns.begin; begin < columns.end; begin += CHUNK) {
            const dim_t count = call.chunk = std::min(CHUNK, columns.end - begin);
            kernel(call);
            for (dim_t r = 0; r < b.rows; ++r)
                body(r, begin / CHUNK, f_.refine_chunk(call.x.row(r), count, b.p[r], {b.s[r], b.q[r]}));
            f_.move_columns(call, CHUNK);
        }
    }

    // ---- normalization

    template <typename Body> // void(range columns)
    void for_each_panel(range columns, Body &&body) const {
        for (dim_t begin = columns.begin; begin < columns.end; begin += planned.panel_columns)
            body(range{begin, std::min(begin + planned.panel_columns, columns.end)});
    }

    [[gnu::always_inline]] void write_columns(batch &b, range columns) {
        if (f_.quantizer_) return quantize(b);
        for_each_panel(columns, [&](range some) {
            const panel here = at.open(some);
            normalize(here, rows_to_write(here, b, some), b, some);
            at.close();
        });
    }

    // Normalizes these columns of the rows `x`.
    [[gnu::always_inline]] void normalize(const panel &here, const strip &x, batch &b, range columns) {
        jit::forward_arguments<T> call = arguments_for(here, x, b, columns);
        const auto &kernel = f_.kernels_->normalize->choose(now.non_temporal);
        with_operands(call, {b.first, b.rows, columns.begin, call.count}, [&] { kernel(call); });
    }

    // ---- normalization where scales are found

    [[gnu::noinline]] void quantize(batch &b) {
        const quantizer &q = *f_.quantizer_;
        const range all = {0, f_.C_};
        const panel here = at.open(all);
        const strip x = rows_to_write(here, b, all);
        q.for_each_unit(b.rows, [&](dim_t r, range groups) {
            jit::forward_arguments<T> call = arguments_for(here, x, b, all);
            q.restrict_to(r, groups, call);
            const found_scales found(call, get(scratch::values));
            const dim_t row = b.first + r;
            with_operands(call, {row, 1, q.first_column(groups), call.count},
                          [&] { f_.kernels_->normalize->ordinary(call); });
            q.store_scales(row, 1, groups, found.scales, args[DST_SCALE]);
        });
        at.close();
    }

    // ---- chunks of rows that threads share

    // The items are chunks of rows. Calls body(batch of one row, its chunks) for these rows.
    template <typename Body>
    void for_each_row(range items, Body &&body) {
        const dim_t per_row = f_.chunks();
        for (dim_t begin = items.begin; begin < items.end;) {
            const dim_t row = begin / per_row, first = begin % per_row;
            const dim_t last = std::min(per_row, first + items.end - begin);
            batch b;
            b.first = row;
            b.rows = 1;
            at.for_each_batch({row, row + 1}, 1, [&](dim_t, dim_t) { body(b, range{first, last}); });
            begin += last - first;
        }
    }

    // `found` has the moments of the row's chunks, unless statistics are given.
    void take_statistics(const moments<T> *found, bool writes, batch &b) {
        const statistics_rows statistics = at.open_statistics();
        if (f_.given_) return take_given(statistics, b, writes);
        moments<T> row;
        for (dim_t chunk = 0; chunk < f_.chunks(); ++chunk) add_chunk(row, chunk == 0, found[chunk]);
        f_.set_statistics(&row, b);
        if (writes) f_.write_statistics(b, statistics);
    }

    [[gnu::noinline]] void take_given(const statistics_rows &statistics, batch &b, bool writes = true) {
        if (args[ROW_SUMS] == nullptr) return f_.read_statistics(statistics, b);
        f_.set_statistics(after(args[ROW_SUMS], b.first * dim_t(sizeof(moments<T>))), b);
        if (writes) f_.write_statistics(b, statistics);
    }

    const forward &f_;
    // Whether the sums are gone from their tile when they are to be normalized, so that they are computed again.
    const bool adds_again_ = f_.adds_ && f_.has_dst_ && !f_.given_ && f_.sum_pitch_ != 0 &&
                             (now.through_rows == way::chunks || planned.panel_columns != f_.C_);
    T src_scale_, inverse_dst_scale_;
};

} // namespace jitnorm::impl::layer_norm
