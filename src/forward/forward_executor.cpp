// SPDX-License-Identifier: Apache-2.0
#include "forward_executor.hpp"

#include "../layout/rows_in_place.hpp"
#include "../layout/rows_in_tiles.hpp"
#include "../math/simd.hpp"
#include "rows_with_sums.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <typename Rows, typename Kernels>
Rows make_rows(const problem &p, const plan &how, const Kernels &kernels) {
    if constexpr (std::is_constructible_v<Rows, const row_tensors &, const plan &>)
        return Rows(row_tensors_of(p), how);
    else
        return Rows(p, how, kernels);
}

} // namespace

template <typename T, typename Rows>
forward_executor<T, Rows>::forward_executor(const problem &p, const plan &how,
                                            std::shared_ptr<const forward_kernels<T>> kernels)
    : problem_(p), plan_(how), rows_(make_rows<Rows>(problem_, how, kernels)),
      batches_(problem_, how, std::move(kernels)), C_(p.row_length()), given_(p.statistics_are_inputs()) {
    if (problem_.has_dynamic_scales()) quantizer_.emplace(problem_, how, *batches_.kernels().quantize);
}

template <typename T, typename Rows>
jitnorm_status_t forward_executor<T, Rows>::execute(const arguments &args) const {
    const walk how = walk_of(args);
    how.by_chunks ? run_by_chunks(args, how) : run_by_rows(args, how);
    return jitnorm_success;
}

template <typename T, typename Rows>
walk forward_executor<T, Rows>::walk_of(const arguments &args) const {
    const bool past_caches = plan_.non_temporal && lies_past_caches(problem_[DST], args, DST, {SRC});
    return plan_.on(plan_.takes_one_thread() ? 1 : max_threads(), past_caches);
}

template <typename T, typename Rows>
template <typename Body>
void forward_executor<T, Rows>::share_out(const arguments &args, const walk &how, dim_t items, Body &&body) const {
    parallel_parts(how.threads, [&](int share) {
        cursor at(rows_, args, plan_.scratchpad.tiles(args[SCRATCHPAD], share));
        const forward_inputs<T> inputs(problem_, args, how, plan_.scratchpad.operands(args[SCRATCHPAD], share),
                                       plan_.scratchpad.own(args[SCRATCHPAD], share));
        body(at, inputs, split(items, how.threads, share));
        at.finish(share, how.threads);
        finish_non_temporal_stores(how.non_temporal);
    });
}

template <typename T, typename Rows>
template <typename Body>
void forward_executor<T, Rows>::for_each_panel(range columns, Body &&body) const {
    for (dim_t begin = columns.begin; begin < columns.end; begin += plan_.panel_columns)
        body(range{begin, std::min(begin + plan_.panel_columns, columns.end)});
}

// ---------------------------------------------------------------- by rows

template <typename T, typename Rows>
void forward_executor<T, Rows>::run_by_rows(const arguments &args, const walk &how) const {
    const bool whole_rows = plan_.panel_columns == C_;
    share_out(args, how, rows_.rows(), [&](cursor &at, const forward_inputs<T> &inputs, range even) {
        const range mine = {rows_.cut_at(even.begin), rows_.cut_at(even.end)};
        at.for_each_batch(mine, plan_.batch_rows, whole_rows ? mine.end : 0, [&](dim_t first, dim_t number) {
            row_batch<T> batch;
            batch.rows = number;
            find_statistics(at, batch);
            normalize(at, inputs, batch, first, {0, C_});
        });
    });
}

template <typename T, typename Rows>
inline void forward_executor<T, Rows>::find_statistics(cursor &at, row_batch<T> &batch) const {
    const statistics_rows statistics = at.open_statistics();
    if (given_) return batches_.read_statistics(statistics, batch);
    if (C_ <= CHUNK)
        find_statistics_at_once(at, batch);
    else
        find_long_statistics(at, batch);
    batches_.write_statistics(batch, statistics);
    at.close_statistics();
}

template <typename T, typename Rows>
inline void forward_executor<T, Rows>::find_statistics_at_once(cursor &at, row_batch<T> &batch) const {
    const range rows = {0, batch.rows}, columns = {0, C_};
    if constexpr (requires { rows_.reduces(); })
        if (rows_.reduces())
            return batches_.take_first_reductions(at.open_and_reduce(rows, columns, batch.q)[X], batch);
    const strip src = at.open_to_read(rows, columns)[X]; // a copy: of the panel no address is taken
    batches_.find_statistics(src, batch);
}

template <typename T, typename Rows>
void forward_executor<T, Rows>::find_long_statistics(cursor &at, row_batch<T> &batch) const {
    moments<T> rows[MAX_BATCH_ROWS];
    for_each_panel({0, C_}, [&](range columns) {
        const strip src = at.open_to_read({0, batch.rows}, columns)[X];
        for (dim_t r = 0; r < batch.rows; ++r) batches_.add_chunks(src.row(r), columns, rows[r]);
    });
    batches_.set_statistics(rows, batch);
}

template <typename T, typename Rows>
inline void forward_executor<T, Rows>::normalize(cursor &at, const forward_inputs<T> &inputs, const row_batch<T> &batch,
                                                 dim_t first_row, range columns) const {
    if (quantizer_) return quantize(at, inputs, batch, first_row);
    for_each_panel(columns, [&](range some) {
        const panel here = at.open({0, batch.rows}, some);
        batches_.normalize(inputs, here[X], here[Y], here[Z], terms_of(here), batch, first_row, some);
        at.close({0, batch.rows}, some);
    });
}

// Normalizes and quantizes whole rows.
template <typename T, typename Rows>
void forward_executor<T, Rows>::quantize(cursor &at, const forward_inputs<T> &inputs, const row_batch<T> &batch,
                                         dim_t first_row) const {
    const range rows = {0, batch.rows};
    const auto normalize = [&](const panel &here, range columns, const strip &floats) {
        batches_.normalize(inputs, here[X], floats, here[Z], terms_of(here), batch, first_row, columns);
        return here[Y];
    };
    quantizer_->run(
        {inputs.args[DST_SCALE], inputs.floats, first_row, batch.rows},
        [&](range columns, const strip &floats) { normalize(at.open_to_read(rows, columns), columns, floats); },
        [&](range columns, const strip &floats) { return normalize(at.open(rows, columns), columns, floats); },
        [&](range columns) { at.close(rows, columns); });
}

// ---------------------------------------------------------------- by chunks of long rows

// The items are the chunks of all rows; those of one row follow each other. Calls body(row, chunks of the row).
template <typename T, typename Rows>
template <typename Body>
void forward_executor<T, Rows>::for_each_row(range items, Body &&body) const {
    const dim_t per_row = chunks();
    for (dim_t begin = items.begin; begin < items.end;) {
        const dim_t row = begin / per_row, first = begin % per_row;
        const dim_t last = std::min(per_row, first + items.end - begin);
        body(row, range{first, last});
        begin += last - first;
    }
}

// Goes over all chunks twice: first to find their moments, then to normalize them. In between, each thread merges the
// moments of the rows that it normalizes.
template <typename T, typename Rows>
void forward_executor<T, Rows>::run_by_chunks(const arguments &args, const walk &how) const {
    auto *const found = reinterpret_cast<moments<T> *>(plan_.scratchpad.common(args[SCRATCHPAD]));
    const dim_t items = rows_.rows() * chunks();
    const auto go_to = [&](cursor &at, dim_t row, auto &&body) {
        at.for_each_batch({row, row + 1}, 1, 0, [&](dim_t, dim_t) { body(); });
    };
    if (!given_)
        parallel_parts(how.threads, [&](int share) {
            cursor at(rows_, args, plan_.scratchpad.tiles(args[SCRATCHPAD], share));
            for_each_row(split(items, how.threads, share), [&](dim_t row, range mine) {
                go_to(at, row, [&] { find_moments(at, mine, found + row * chunks()); });
            });
        });
    share_out(args, how, items, [&](cursor &at, const forward_inputs<T> &inputs, range some) {
        for_each_row(some, [&](dim_t row, range mine) {
            go_to(at, row, [&] {
                row_batch<T> batch;
                batch.rows = 1;
                take_statistics(at, found + row * chunks(), mine.begin == 0, batch);
                normalize(at, inputs, batch, row, {mine.begin * CHUNK, std::min(mine.end * CHUNK, C_)});
            });
        });
    });
}

template <typename T, typename Rows>
void forward_executor<T, Rows>::find_moments(cursor &at, range chunks_of_row, moments<T> *found) const {
    for (dim_t chunk = chunks_of_row.begin; chunk < chunks_of_row.end; ++chunk) {
        const range columns = {chunk * CHUNK, std::min((chunk + 1) * CHUNK, C_)};
        found[chunk] = batches_.chunk_moments(at.open_to_read({0, 1}, columns)[X].first, columns.end - columns.begin);
    }
}

template <typename T, typename Rows>
void forward_executor<T, Rows>::take_statistics(cursor &at, const moments<T> *found, bool writes,
                                                row_batch<T> &batch) const {
    const statistics_rows statistics = at.open_statistics();
    if (given_) return batches_.read_statistics(statistics, batch);
    moments<T> row = found[0];
    for (dim_t chunk = 1; chunk < chunks(); ++chunk) row = merge(row, found[chunk]);
    batches_.set_statistics(&row, batch);
    if (!writes) return;
    batches_.write_statistics(batch, statistics);
    at.close_statistics();
}

template class forward_executor<float, rows_in_place>;
template class forward_executor<float, rows_in_tiles>;
template class forward_executor<double, rows_in_place>;
template class forward_executor<double, rows_in_tiles>;
template class forward_executor<float, rows_with_sums<float, rows_in_place>>;
template class forward_executor<float, rows_with_sums<float, rows_in_tiles>>;
template class forward_executor<double, rows_with_sums<double, rows_in_place>>;
template class forward_executor<double, rows_with_sums<double, rows_in_tiles>>;

} // namespace jitnorm::impl::layer_norm
