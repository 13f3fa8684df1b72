// SPDX-License-Identifier: Apache-2.0
// driver: the executor of both directions, but for a single batch (single_batch.hpp). An execution is one sentence:
// reduce rows, do their scalar steps, write them. driver::run() takes one of the three ways (plan.hpp) to do so; in
// bands one kernel does all three, band by band. A direction (forward.hpp, backward.hpp) has the steps; a row source
// (rows.hpp) says where the rows are.
//
// A direction has the classes kernels (from the kernel cache), batch (the numbers of a batch's rows) and worker, a
// thread's part of the work, which has a function for each step of each way:
//
//     bands      do_bands(batch)
//     steps      reduce(batch), write(batch)
//     chunks     reduce_chunks(items), write_chunks(items)
//
// For chunks it says how many there are (chunk_items()) and whether they are reduced and written (reduces(), writes()).
// end() is called when all threads have finished.
#pragma once

#include <memory>

#include "../base/parallel.hpp"
#include "../norm/implementation.hpp"
#include "../simd/simd.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// The base of the workers of both directions.
struct basic_worker {
    const row_source &source;
    const plan &planned;
    const arguments &args;
    const schedule &now;
    int share;
    row_source::cursor at;

    basic_worker(const row_source &rows, const plan &made, const arguments &given, const schedule &current, int number)
        : source(rows), planned(made), args(given), now(current), share(number), at(rows, given, get(scratch::tiles)) {}

    // Calls body(first row, number of rows) for each batch of the thread's rows. The worker of backward has its own.
    template <typename Body>
    void for_each_batch(Body &&body) {
        const range mine = split(source.rows(), now.threads, share);
        at.for_each_batch({source.cut_at(mine.begin), source.cut_at(mine.end)}, planned.batch_rows, body);
    }

    std::byte *get(scratch what) const { return planned.scratchpad.get(what, args[SCRATCHPAD], share); }

    // Is called when the worker has written its last batch.
    void finish() {
        at.finish(share, now.threads);
        finish_non_temporal_stores(now.non_temporal);
    }
};

template <typename Direction>
class driver final : public executor {
public:
    using kernels = typename Direction::kernels;

    driver(const problem &p, const plan &planned, std::shared_ptr<const kernels> made)
        : problem_(p), plan_(planned), rows_(put_in_order_of_visits(problem_, plan_), plan_),
          direction_(problem_, plan_, std::move(made)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const schedule now = schedule_of(args);
        run(args, now);
        direction_.end(args, now);
        return jitnorm_success;
    }

    // How an execution with these arguments goes through the rows.
    schedule schedule_of(const arguments &args) const {
        const bool past_caches = plan_.non_temporal_threads > 0 && result_lies_past_caches(problem_, args);
        return plan_.on(plan_.takes_one_thread() ? 1 : max_threads(), past_caches);
    }

private:
    using worker = typename Direction::worker;
    using batch = typename Direction::batch;

    // The way is that of plan::on(): chunks where threads share them; else bands, if the plan has any; else steps.
    void run(const arguments &args, const schedule &now) const {
        now.through_rows == way::chunks ? run_by_chunks(args, now) : run_by_batches(args, now);
    }

    void run_by_batches(const arguments &args, const schedule &now) const {
        const bool in_bands = now.through_rows == way::bands;
        parallel_parts(now.threads, [&](int share) {
            worker mine(direction_, rows_, args, now, share);
            mine.for_each_batch([&](dim_t first, dim_t count) {
                batch b;
                b.first = first;
                b.rows = count;
                if (in_bands) return mine.do_bands(b);
                mine.reduce(b);
                mine.write(b);
            });
            mine.finish();
        });
    }

    // Each chunk is read twice: to reduce it and, when all chunks of its row have been reduced, to write it.
    void run_by_chunks(const arguments &args, const schedule &now) const {
        if (direction_.reduces())
            parallel_parts(now.threads, [&](int share) {
                worker mine(direction_, rows_, args, now, share);
                mine.reduce_chunks(split(direction_.chunk_items(), now.threads, share));
            });
        if (direction_.writes())
            parallel_parts(now.threads, [&](int share) {
                worker mine(direction_, rows_, args, now, share);
                mine.write_chunks(split(direction_.chunk_items(), now.threads, share));
                mine.finish();
            });
    }

    problem problem_;
    plan plan_;
    row_source rows_;
    Direction direction_;
};

} // namespace jitnorm::impl::layer_norm
