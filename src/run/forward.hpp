// SPDX-License-Identifier: Apache-2.0
// forward: the direction forward for the driver (driver.hpp): the statistics of rows, and then the worker, a thread's
// part of an execution. In the common case one kernel does bands of rows from their inputs to dst. Otherwise a batch
// goes in steps: a residual is added, if there is one; the rows are reduced to their moments, from which the statistics
// follow; then they are normalized. The executor of a single batch (single_batch.hpp) shares the kernels and the
// statistics.
//
// Without dst a batch is only reduced, which also writes the sum. Problems that share columns find the moments of
// chunks in one execution, which has no dst, and read the moments of rows in another.
//
// Sums with a residual are kept in the tensor for the sum, if that has the type that is normalized and rows are in
// place or whole in their tiles. Otherwise they have a tile for the columns of one panel. If a panel has whole rows,
// its sums are computed once. If not, they are computed twice, to reduce them and to normalize them, unless statistics
// are given. Only the second time writes the output, because it may overwrite the residual in place.
//
// The steps that every batch takes are inline functions: as calls they made a batch of 32 rows of 64 elements take 8 %
// longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>

#include "../base/bytes.hpp"
#include "../math/constants.hpp"
#include "driver.hpp"
#include "post_op_operands.hpp"
#include "problem_kernels.hpp"
#include "quantizer.hpp"
#include "row_batch.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class forward {
public:
    using kernels = forward_kernels<T>;
    using batch = forward_batch<T>; // the sums and statistics of its rows (row_batch.hpp)
    class worker;

    forward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made);

    void end(const arguments &, const schedule &) const {}

    bool reduces() const { return !given_; }
    bool writes() const { return has_dst_ || writes_mean_ || writes_variance_; }
    // The chunks of all rows; the chunks of one row follow each other.
    dim_t chunk_items() const { return problem_.rows() * chunks(); }

private:
    friend class single_batch;

    dim_t chunks() const { return divide_up(C_, CHUNK); } // of a row
    range columns_of(range chunks) const { return {chunks.begin * CHUNK, std::min(chunks.end * CHUNK, C_)}; }

    // ---- the first reductions of a batch, or of a band of it in the kernel for bands

    // Sets what the scalar steps need: 1 / the length of a whole row, epsilon, and what the kernel for bands calls if a
    // first reduction is not enough.
    [[gnu::always_inline]] void set_scalar_steps(jit::forward_arguments<T> &call) const {
        call.inverse_count = inv_C_;
        call.epsilon = epsilon_;
        call.refine = refine_band;
        call.context = this;
        call.next_chunk = nullptr;
    }
    // forward_arguments::refine and next_chunk, with this object as the context.
    static void refine_band(jit::forward_arguments<T> &call, dim_t first, dim_t rows);
    static bool next_chunk(jit::forward_arguments<T> &call, dim_t first, dim_t rows);
    static void store_results(const batch &b, jit::forward_arguments<T> &call, dim_t first);
    // Sets the arguments for rows of several chunks. `rows` has room for each row.
    void begin_chunks(jit::forward_arguments<T> &call, moments<T> *rows) const;
    // Moves the rows that are added or reduced by so many columns.
    void move_columns(jit::forward_arguments<T> &call, dim_t columns) const;
    // For rows of at most CHUNK elements, after the first reduction, whose sums are in the batch.
    [[gnu::always_inline]] void find_statistics(const strip &src, batch &b) const {
        if (rms_) b.set_no_pivots();
        const bool exact = C_ == 1 && !rms_; // the difference is zero or NaN, so no other reduction is needed
        if (!b.take_first_reductions(double(C_), inv_C_) && !exact) refine_rest(src, b);
        b.complete(epsilon_);
    }
    void refine_rest(const strip &src, batch &b) const;

    // ---- the moments of chunks, and of rows of several

    static void add_chunk(moments<T> &row, bool is_first, const moments<T> &found) {
        row = is_first ? found : merge(row, found);
    }

    // For longer rows: calls body(the number of a chunk, its moments) for each chunk of these columns of a row. `src`
    // points to the first of the columns, which begins a chunk. The chunks are the rows of the kernel, MAX_BATCH_ROWS
    // at a time.
    template <typename Body>
    void for_each_chunk(const std::byte *src, range columns, Body &&body) const {
        jit::forward_arguments<T> call;
        for (dim_t begin = columns.begin; begin < columns.end;) {
            const dim_t count = std::min(CHUNK, columns.end - begin);
            const dim_t chunks = std::clamp<dim_t>((columns.end - begin) / CHUNK, 1, MAX_BATCH_ROWS);
            const strip x = {const_cast<std::byte *>(src), CHUNK * row_size_};
            reduce(*kernels_->reduce, x, chunks, count, call);
            for (dim_t k = 0; k < chunks; ++k, begin += count, src += count * row_size_)
                body(begin / CHUNK, refine_chunk(src, count, call.pivot[k], {call.s[k], call.q[k]}));
        }
    }
    // Reduces so many rows of `count` elements with this kernel. A repeated reduction takes the pivots and the factor
    // from the arguments.
    static void reduce(const jit::forward_kernel<T> &kernel, const strip &x, dim_t rows, dim_t count,
                       jit::forward_arguments<T> &call);
    // From the sums of a first reduction or, if k is not 1, of one that was repeated with this factor.
    moments<T> refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &found, T k = 1) const;
    // Sets the batch's statistics from the moments of its rows, an array at any address.
    void set_statistics(const void *rows, batch &b) const;

    // ---- the tensors of statistics

    void read_statistics(const statistics_rows &from, batch &b) const;
    [[gnu::always_inline]] void write_statistics(const batch &b, const statistics_rows &to) const {
        const auto store = [&](slot s, const auto *from) {
            store_statistics(from, b.rows, to[s], statistics_type_, to.stride);
        };
        if (writes_mean_) store(MEAN, b.hi);
        if (writes_variance_)
            form_ == statistics_form::variance ? store(VARIANCE, b.variance) : store(VARIANCE, b.rstd);
    }

    const problem &problem_;
    const plan &plan_;
    std::shared_ptr<const kernels> kernels_;
    post_op_operands<T> operands_;
    std::optional<quantizer> quantizer_; // where scales are found
    bool given_;                         // whether statistics, or the moments of rows, are inputs
    bool adds_;                          // whether a residual is added to src
    bool writes_moments_, has_dst_;
    bool own_scale_, own_shift_; // whether each row has its own
    bool writes_mean_, writes_variance_, rms_;
    statistics_form form_;
    jitnorm_data_type_t statistics_type_;
    dim_t C_, sum_pitch_;         // columns; sum_pitch() of make_plan.hpp
    dim_t row_size_, scale_size_; // bytes of an element; row: of the rows to normalize
    double epsilon_, inv_C_;
};

// A thread's share of an execution.
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
        set_arguments_inline(b, here, x, all);
        b.band_rows = now.non_temporal ? planned.non_temporal_band_rows : planned.band_rows;
        b.prefetch = planned.non_temporal_band_rows * x.stride; // as many rows as a band past the caches has
        moments<T> rows[MAX_BATCH_ROWS];
        if (f_.C_ > CHUNK) f_.begin_chunks(b, rows);
        const auto &kernel = f_.kernels_->bands->choose(now.non_temporal);
        with_operands(b, {b.first, b.rows, 0, f_.C_}, [&] { kernel(b); });
        if (f_.quantizer_) f_.quantizer_->store_scales(b.first, b.rows, {0, 1}, b.dst_scales, args[DST_SCALE]);
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

    // Sets those of additions, reductions and normalizations, but operands, for these columns of call.rows rows, of
    // which those to normalize are `x`. The last line sets what the scalar steps read. A function of its own, since
    // everywhere inline it took 16 KB; do_bands() has it inline.
    [[gnu::noinline]] void set_arguments(jit::forward_arguments<T> &call, const panel &here, const strip &x,
                                         range columns) const {
        set_arguments_inline(call, here, x, columns);
    }
    [[gnu::always_inline]] void set_arguments_inline(jit::forward_arguments<T> &call, const panel &here, const strip &x,
                                                     range columns) const {
        const auto shared = [&](slot s) { return strip{after(args[s], columns.begin * f_.scale_size_), 0}; };
        call.count = call.chunk = columns.end - columns.begin;
        call.x = copy_of(x);
        call.prefetch = call.rows * x.stride; // the next batch; bands set another distance
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
        if (f_.quantizer_) call.values = get(scratch::values);
        f_.set_scalar_steps(call);
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
        set_arguments(b, here, x, all);
        (*f_.kernels_->reduce)(b);
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
            const strip x = rows_to_reduce(at.open(some), b, some);
            for (dim_t r = 0; r < b.rows; ++r)
                f_.for_each_chunk(x.row(r), some, [&](dim_t chunk, const auto &found) { body(r, chunk, found); });
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
        const auto &kernels = *f_.kernels_->addition;
        set_arguments(b, here, sums, columns);
        (writes && f_.sum_pitch_ != 0 ? kernels.add_and_write : kernels.add)(b);
        return sums;
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
        set_arguments(b, here, x, columns);
        const auto &kernel = f_.kernels_->normalize->choose(now.non_temporal);
        with_operands(b, {b.first, b.rows, columns.begin, b.count}, [&] { kernel(b); });
    }

    void quantize(batch &b); // writes rows whose scales are found

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
