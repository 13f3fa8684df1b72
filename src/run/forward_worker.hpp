// SPDX-License-Identifier: Apache-2.0
// forward_worker: a thread's share of an execution of forward, in the order in which things happen. In the common case
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
template <typename Rows>
class forward<T>::worker : public basic_worker<Rows> {
    using base = basic_worker<Rows>;

public:
    using base::at, base::now, base::same_columns_until;

    worker(const forward &direction, const Rows &rows, const arguments &given, const schedule &current, int number)
        : base(rows, direction.plan_, given, current, number), f_(direction),
          scale_(static_cast<const std::byte *>(given[SCALE])), shift_(static_cast<const std::byte *>(given[SHIFT])),
          src_scale_(given[SRC_SCALE] ? T(load<float>(given[SRC_SCALE])) : T(1)),
          inverse_dst_scale_(f_.problem_.attr.dst_scale ? T(1) / T(load<float>(given[DST_SCALE])) : T(1)) {}

    // ---- a batch in bands: one kernel reduces and normalizes the rows

    [[gnu::noinline]] void do_bands(batch &b) {
        if constexpr (!std::is_same_v<T, float>) return; // no plan has bands for double
        const range all = {0, f_.C_};
        const statistics_rows statistics = at.open_statistics();
        const panel here = at.open(all);
        const strip rows = rows_of(here);
        jit::forward_rows_arguments<T> call;
        call.reduced = {.src = rows.first, .row_stride = rows.stride, .rows = b.rows, .count = f_.C_};
        call.written = normalize_arguments_for(here, rows, here.result, b, all);
        call.written.prefetch = prefetch_distance(rows, f_.C_ * f_.row_size_, BAND_BYTES);
        if (f_.adds_) call.added = addition_arguments_for(here, rows, all, b.rows, b.p, b.s, b.q);
        const auto &kernel = f_.kernels_->bands->choose(now.non_temporal);
        const found_scales found(call.written, get(scratch::values));
        call.band_rows = now.non_temporal ? planned.non_temporal_band_rows : planned.band_rows;
        f_.set_scalars(call, b);
        with_operands(call.written, {b.first, b.rows, 0, f_.C_}, [&] { kernel(call); });
        if (f_.quantizer_) f_.quantizer_->store_scales(b.first, b.rows, {0, 1}, found.scales, args[DST_SCALE]);
        at.close();
        f_.write_statistics(b, statistics);
    }

    // ---- a batch in steps

    [[gnu::always_inline]] void reduce(batch &b) {
        const statistics_rows statistics = at.open_statistics();
        if (f_.given_) return take_given(statistics, b);
        if (f_.writes_moments_) return find_moments(b);
        if (f_.C_ <= CHUNK)
            reduce_at_once(b);
        else
            reduce_long_rows(b);
        f_.write_statistics(b, statistics);
    }
    [[gnu::always_inline]] void write(const batch &b) {
        if (f_.has_dst_) write_columns(b, {0, f_.C_});
    }

    // ---- a batch that is written while the next one is reduced

    // Writes the batch `ready`, at which `before` is, while it reduces the next one.
    void write_and_reduce(typename Rows::cursor &before, const batch &ready, batch &next) {
        const statistics_rows statistics = at.open_statistics();
        if (f_.C_ <= CHUNK) {
            const range all = {0, f_.C_};
            const panel here = at.open(all), there = before.open(all);
            const strip written = rows_of(there);
            tile_ = 1 - tile_; // the batches take turns with two tiles of sums
            const strip src = rows_of(here);
            run_loop(here, src, next.rows, there, written, ready, all, next.p, next.s, next.q);
            f_.take_first_reductions(src, next);
        } else {
            write_and_reduce_chunks(before, ready, next);
        }
        f_.write_statistics(next, statistics);
    }
    // Writes the batch `ready`, at which `before` is.
    void write_at(typename Rows::cursor &before, const batch &ready) {
        for_each_panel({0, f_.C_}, [&](range some) {
            const panel here = before.open(some);
            normalize(here, rows_of(here), here.result, ready, some);
        });
    }

    // ---- the items are chunks

    void reduce_chunks(range items) {
        void *const found =
            f_.writes_moments_ ? args[ROW_SUMS] : planned.scratchpad.get(scratch::moments, args[SCRATCHPAD]);
        for_each_row(items, [&](dim_t row, range mine) {
            for (dim_t chunk = mine.begin; chunk < mine.end; ++chunk) {
                const range columns = {chunk * CHUNK, std::min((chunk + 1) * CHUNK, f_.C_)};
                const strip src = rows_to_reduce(at.open(columns), columns, 1);
                f_.for_each_chunk(src.first, columns, [&](dim_t, const moments<T> &of_chunk) {
                    store(of_chunk, found, row * f_.chunks() + chunk);
                });
            }
        });
    }

    // Each thread merges the moments of the rows that it normalizes.
    void write_chunks(range items) {
        const auto *const found = planned.scratchpad.template get<moments<T>>(scratch::moments, args[SCRATCHPAD]);
        for_each_row(items, [&](dim_t row, range mine) {
            batch b;
            b.first = row;
            b.rows = 1;
            take_statistics(f_.given_ ? nullptr : found + row * f_.chunks(), mine.begin == 0, b);
            if (f_.has_dst_) write_columns(b, {mine.begin * CHUNK, std::min(mine.end * CHUNK, f_.C_)});
        });
    }

private:
    using base::args, base::get, base::planned;

    // ---- the arguments of kernels

    [[gnu::always_inline]] jit::normalize_arguments<T> normalize_arguments_for(const panel &here, const strip &src,
                                                                               const strip &dst, const batch &b,
                                                                               range columns) const {
        return {.src = src.first,
                .dst = dst.first,
                .src_row_stride = src.stride,
                .dst_row_stride = dst.stride,
                .rows = b.rows,
                .count = columns.end - columns.begin,
                .hi = b.hi,
                .rstd = b.rstd,
                .bias = b.bias,
                .scale = f_.own_scale_ ? here.scale.first : after(scale_, columns.begin * f_.scale_size_),
                .shift = f_.own_shift_ ? here.shift.first : after(shift_, columns.begin * f_.scale_size_),
                .src_scale = src_scale_,
                .inverse_dst_scale = inverse_dst_scale_,
                .prefetch = b.rows * src.stride,
                .parameters = f_.kernels_->post_op_parameters.data(),
                .operands = nullptr,
                .pre_quantization = here.pre_quantization.first,
                .pre_quantization_row_stride = here.pre_quantization.stride,
                .scale_row_stride = here.scale.stride,
                .shift_row_stride = here.shift.stride};
    }

    // Calls run() when the operands of post-ops have been put into the arguments.
    template <typename Run>
    [[gnu::always_inline]] void with_operands(jit::normalize_arguments<T> &call, const window &where, Run &&run) {
        if (f_.operands_.size() == 0)
            run();
        else
            locate_operands(call, where, run);
    }

    // Is a function of its own, because the table takes much of the stack.
    template <typename Run>
    [[gnu::noinline]] void locate_operands(jit::normalize_arguments<T> &call, const window &where, Run &run) {
        typename post_op_operands<T>::table operands;
        f_.operands_.locate(args, where, get(scratch::operands), operands);
        call.operands = operands.pointers;
        run();
    }

    jit::addition_arguments<T> addition_arguments_for(const panel &here, const strip &to, range columns, dim_t rows,
                                                      T *p = nullptr, T *s = nullptr, T *q = nullptr) const {
        const memory_desc &gate = f_.problem_[GATE];
        return {.src = here.src.first,
                .residual = here.second.first,
                .bias = after(args[BIAS], columns.begin * dim_t(size_of(f_.problem_.attr.bias_type))),
                .gate = after(args[GATE], (gate.offset0 + columns.begin) * element_size(gate)),
                .sum = here.sum.first,
                .row = to.first,
                .src_row_stride = here.src.stride,
                .residual_row_stride = here.second.stride,
                .sum_row_stride = here.sum.stride,
                .row_stride = to.stride,
                .rows = rows,
                .count = columns.end - columns.begin,
                .pivot = p,
                .s = s,
                .q = q,
                .src_prefetch = prefetch_distance(here.src, f_.C_ * f_.src_size_),
                .residual_prefetch = prefetch_distance(here.second, f_.C_ * f_.residual_size_)};
    }

    // ---- reduction

    // Is called when a panel has been reduced: where there is no dst, the sum with a residual has been written.
    void close_reduced() {
        if (!f_.has_dst_ && f_.adds_) at.close();
    }

    void reduce_at_once(batch &b) {
        const range all = {0, f_.C_};
        const panel here = at.open(all);
        const strip src = rows_to_reduce(here, all, b.rows);
        (*f_.kernels_->reduce)({.src = src.first,
                                .row_stride = src.stride,
                                .rows = b.rows,
                                .count = f_.C_,
                                .pivot = b.p,
                                .s = b.s,
                                .q = b.q,
                                .factor = 1});
        f_.take_first_reductions(src, b);
        close_reduced();
    }
    [[gnu::noinline]] void reduce_long_rows(batch &b) {
        moments<T> rows[MAX_BATCH_ROWS];
        for_each_chunk(b, [&](dim_t r, dim_t chunk, const moments<T> &found) { add_chunk(rows[r], chunk, found); });
        f_.set_statistics(rows, b);
    }
    [[gnu::noinline]] void find_moments(const batch &b) {
        for_each_chunk(b, [&](dim_t r, dim_t chunk, const moments<T> &found) {
            store(found, args[ROW_SUMS], (b.first + r) * f_.chunks() + chunk);
        });
    }

    // Calls body(row of the batch, number of a chunk, its moments); the chunks of a row come in order.
    template <typename Body>
    void for_each_chunk(const batch &b, Body &&body) {
        for_each_panel({0, f_.C_}, [&](range columns) {
            const strip src = rows_to_reduce(at.open(columns), columns, b.rows);
            for (dim_t r = 0; r < b.rows; ++r)
                f_.for_each_chunk(src.row(r), columns, [&](dim_t chunk, const auto &found) { body(r, chunk, found); });
            close_reduced();
        });
    }
    static void add_chunk(moments<T> &row, dim_t chunk, const moments<T> &found) {
        row = chunk == 0 ? found : merge(row, found);
    }

    // ---- sums with a residual

    // The rows to normalize of a panel, to be reduced or to be written: its src or sums, which may have to be made.
    strip rows_to_reduce(const panel &here, range columns, dim_t rows) const {
        return f_.adds_ ? add(here, columns, rows, !adds_again_) : here.src;
    }
    [[gnu::always_inline]] strip rows_to_write(const panel &here, range columns, dim_t rows) const {
        return adds_again_ || (f_.adds_ && f_.given_) ? add(here, columns, rows, true) : rows_of(here);
    }
    // The place of these rows.
    strip rows_of(const panel &here) const {
        if (!f_.adds_) return here.src;
        if (f_.sum_pitch_ == 0) return here.sum;
        std::byte *const tiles = get(scratch::sum_rows);
        return {tiles + tile_ * planned.batch_rows * f_.sum_pitch_, f_.sum_pitch_};
    }
    // Computes the sums of a panel. If they have a tile, `writes` says whether the output is written besides.
    [[gnu::noinline]] strip add(const panel &here, range columns, dim_t rows, bool writes) const {
        const strip sums = rows_of(here);
        const bool writes_besides = writes && f_.sum_pitch_ != 0;
        const auto &kernels = *f_.kernels_->addition;
        (writes_besides ? kernels.add_and_write : kernels.add)(addition_arguments_for(here, sums, columns, rows));
        return sums;
    }

    // ---- normalization

    template <typename Body> // void(range columns)
    void for_each_panel(range columns, Body &&body) const {
        for (dim_t begin = columns.begin; begin < columns.end; begin += planned.panel_columns)
            body(range{begin, std::min(begin + planned.panel_columns, columns.end)});
    }

    [[gnu::always_inline]] void write_columns(const batch &b, range columns) {
        if (f_.quantizer_) return quantize(b);
        for_each_panel(columns, [&](range some) {
            const panel here = at.open(some);
            normalize(here, rows_to_write(here, some, b.rows), here.result, b, some);
            at.close();
        });
    }

    // Normalizes these columns of the rows `src` and stores them to `dst` and to the pre-quantization output, if there
    // is one.
    [[gnu::always_inline]] void normalize(const panel &here, const strip &src, const strip &dst, const batch &b,
                                          range columns) {
        jit::normalize_arguments<T> call = normalize_arguments_for(here, src, dst, b, columns);
        const auto &kernel = f_.kernels_->normalize->choose(now.non_temporal);
        with_operands(call, {b.first, b.rows, columns.begin, call.count}, [&] { kernel(call); });
    }

    // ---- normalization where scales are found

    [[gnu::noinline]] void quantize(const batch &b) {
        const quantizer &q = *f_.quantizer_;
        const range all = {0, f_.C_};
        const panel here = at.open(all);
        const strip src = rows_to_write(here, all, b.rows);
        q.for_each_unit(b.rows, [&](dim_t r, range groups) {
            jit::normalize_arguments<T> call = normalize_arguments_for(here, src, here.result, b, all);
            q.restrict_to(r, groups, call);
            const found_scales found(call, get(scratch::values));
            const dim_t row = b.first + r;
            with_operands(call, {row, 1, q.first_column(groups), call.count},
                          [&] { f_.kernels_->normalize->ordinary(call); });
            q.store_scales(row, 1, groups, found.scales, args[DST_SCALE]);
        });
        at.close();
    }

    // ---- reduction beside normalization

    // Writes the rows `written` of `there`, and reduces the rows `src`, which a residual makes of `here`.
    void run_loop(const panel &here, const strip &src, dim_t rows, const panel &there, const strip &written,
                  const batch &ready, range columns, T *p, T *s, T *q) {
        jit::forward_rows_arguments<T> call;
        call.reduced = {.src = src.first,
                        .row_stride = src.stride,
                        .rows = rows,
                        .count = columns.end - columns.begin,
                        .pivot = p,
                        .s = s,
                        .q = q,
                        .prefetch = prefetch_distance(src, f_.C_ * f_.row_size_)};
        call.written = normalize_arguments_for(there, written, there.result, ready, columns);
        if (f_.adds_) call.added = addition_arguments_for(here, src, columns, rows, p, s, q);
        const auto &kernel = f_.kernels_->one_loop->choose(now.non_temporal);
        with_operands(call.written, {ready.first, ready.rows, columns.begin, call.written.count},
                      [&] { kernel(call); });
    }
    [[gnu::noinline]] void write_and_reduce_chunks(typename Rows::cursor &before, const batch &ready, batch &next) {
        moments<T> rows[MAX_BATCH_ROWS];
        T p[MAX_BATCH_ROWS], s[MAX_BATCH_ROWS], q[MAX_BATCH_ROWS];
        for (dim_t begin = 0; begin < f_.C_; begin += CHUNK) {
            const range columns = {begin, std::min(begin + CHUNK, f_.C_)};
            const panel here = at.open(columns), there = before.open(columns);
            const strip src = here.src;
            run_loop(here, src, next.rows, there, there.src, ready, columns, p, s, q);
            for (dim_t r = 0; r < next.rows; ++r)
                add_chunk(rows[r], begin / CHUNK, f_.refine_chunk(src.row(r), columns.end - begin, p[r], {s[r], q[r]}));
        }
        f_.set_statistics(rows, next);
    }

    // ---- chunks of rows that threads share

    // The items are chunks of rows. Calls body(row, its chunks) for these rows. The row is the batch.
    template <typename Body>
    void for_each_row(range items, Body &&body) {
        const dim_t per_row = f_.chunks();
        for (dim_t begin = items.begin; begin < items.end;) {
            const dim_t row = begin / per_row, first = begin % per_row;
            const dim_t last = std::min(per_row, first + items.end - begin);
            at.for_each_batch({row, row + 1}, 1, 0, [&](dim_t, dim_t) { body(row, range{first, last}); });
            begin += last - first;
        }
    }

    // `found` has the moments of the row's chunks, unless statistics are given.
    void take_statistics(const moments<T> *found, bool writes, batch &b) {
        const statistics_rows statistics = at.open_statistics();
        if (f_.given_) return take_given(statistics, b, writes);
        moments<T> row;
        for (dim_t chunk = 0; chunk < f_.chunks(); ++chunk) add_chunk(row, chunk, found[chunk]);
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
    dim_t tile_ = 0;                  // of sums, which the batch has
    const std::byte *scale_, *shift_; // null where the problem has none
    T src_scale_, inverse_dst_scale_;
};

} // namespace jitnorm::impl::layer_norm
