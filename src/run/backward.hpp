// SPDX-License-Identifier: Apache-2.0
// backward: the steps of backward for the driver (driver.hpp). A batch is reduced to the two sums of each row, and to
// the column sums for the gradients of scale and shift, which belong to the current row block (row_blocks.hpp).
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "../norm/row_groups.hpp"
#include "driver.hpp"
#include "gradient_sums.hpp"
#include "make_plan.hpp"
#include "problem_kernels.hpp"
#include "row_batch.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class backward {
public:
    using kernels = backward_kernels<T>;
    using batch = backward_batch<T>;
    class worker;

    backward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made)
        : problem_(p), plan_(planned), kernels_(std::move(made)), layout_(p, kernels_->weights.has_value()),
          gradients_(p, layout_, kernels_->weights), rms_(p.is_rms()), wants_row_sums_(wants_row_sums(p)),
          own_rows_(has_own_rows(p)), gradients_of_rows_(!kernels_->weights),
          scale_size_(dim_t(size_of(p.scale_shift_type))), gradient_size_(dim_t(size_of(p.diff_scale_shift_type))),
          inv_C_(1.0 / double(p.row_length())) {}

    // Makes the gradients of scale and shift of the sums, when all threads have finished their rows.
    void end(const arguments &args, const schedule &now) const {
        if (now.through_rows == way::chunks || layout_.gradients() == 0) return;
        auto *const sums = plan_.scratchpad.get<double>(scratch::gradient_sums, args[SCRATCHPAD]);
        const auto *const kept = plan_.scratchpad.get<T>(scratch::kept_blocks, args[SCRATCHPAD]);
        if (is_interleaved() && !layout_.keeps_blocks()) add_up_kept_blocks(kept, sums, now.threads);
        gradients_.finish_parts(args, sums, kept, now.threads);
    }

    bool reduces() const { return kernels_->sums.has_value(); }
    bool writes() const { return kernels_->data.has_value(); }
    dim_t chunk_items() const { return layout_.chunks(); }

private:
    bool is_interleaved() const { return plan_.rows == row_access::interleaved; }

    // Makes the sums of each part of those of its row blocks, which rows in tiles have computed in turn.
    void add_up_kept_blocks(const T *kept, double *sums, int threads) const {
        parallel_parts(threads, [&](int share) {
            const range mine = split(layout_.cut().parts(), threads, share);
            for (dim_t part = mine.begin; part < mine.end; ++part) {
                const range blocks = layout_.cut().part(part);
                gradients_.add(nullptr, kept + blocks.begin * layout_.width(), sums + part * layout_.width(),
                               layout_.width(), blocks.end - blocks.begin);
            }
        });
    }

    void read_statistics(const statistics_rows &from, batch &b) const {
        const auto load = [&](slot s, auto *to) {
            load_statistics(from[s], problem_[s].data_type, from.stride, b.rows, to);
        };
        rms_ ? void(std::fill_n(b.mean, b.rows, T(0))) : load(MEAN, b.mean);
        if (problem_.form == statistics_form::variance) {
            load(VARIANCE, b.variance);
            find_rstd(b.variance, b.rows, problem_.epsilon, b.rstd);
        } else {
            load(VARIANCE, b.rstd);
        }
        b.find_factors(rms_);
    }

    const problem &problem_;
    const plan &plan_;
    std::shared_ptr<const kernels> kernels_;
    gradient_layout layout_;
    gradient_sums<T> gradients_;
    bool rms_, wants_row_sums_;
    bool own_rows_;                    // whether each row has its own scale and gradients
    bool gradients_of_rows_;           // whether gradients, if there are any, are not made of column sums
    dim_t scale_size_, gradient_size_; // bytes of an element
    double inv_C_;
};

// A thread's share of an execution.
template <typename T>
class backward<T>::worker : public basic_worker {
public:
    worker(const backward &direction, const row_source &rows, const arguments &given, const schedule &current,
           int number)
        : basic_worker(rows, direction.plan_, given, current, number), b_(direction), layout_(direction.layout_),
          gradients_(direction.gradients_) {}

    // Threads share the parts of the rows where there are column sums, which are added up, unless rows are interleaved.
    template <typename Body>
    void for_each_batch(Body &&body) {
        if (layout_.gradients() == 0 || b_.is_interleaved()) return basic_worker::for_each_batch(body);
        const range parts = split(layout_.cut().parts(), now.threads, share);
        if (layout_.chunks() == 1 && parts.begin < parts.end)
            at.open_alike_until(layout_.cut().block(layout_.cut().part(parts.end - 1).end - 1).end);
        for_each_part(parts, [&](range rows) { at.for_each_batch(rows, planned.batch_rows, body); });
    }

    // ---- a batch: what reduces it also adds to the column sums

    void do_bands(batch &b) {
        const range all = {0, layout_.columns()};
        begin(b);
        set_arguments(b, at.open(all), all);
        b_.kernels_->bands->choose(now.non_temporal)(b);
        at.close();
    }

    void reduce(batch &b) {
        begin(b);
        b.clear_sums();
        if (b_.reduces())
            for (dim_t chunk = 0; chunk < layout_.chunks(); ++chunk) {
                const range columns = layout_.columns_of(chunk);
                set_arguments(b, at.open(columns), columns);
                (*b_.kernels_->sums)(b);
                add_chunk(b, b.s1, b.s2);
            }
        b.find_slopes(b_.inv_C_);
    }
    void write(batch &b) {
        if (b_.writes()) write_columns(b, {0, layout_.columns()});
    }

    // ---- the items are chunks, of all rows

    void reduce_chunks(range chunks) {
        at.open_alike_until(layout_.rows());
        for (dim_t chunk = chunks.begin; chunk < chunks.end; ++chunk) reduce_chunk(chunk);
    }

    void write_chunks(range chunks) {
        at.open_alike_until(layout_.rows());
        const dim_t end = std::min(chunks.end * CHUNK, layout_.columns()), step = planned.panel_columns;
        for (dim_t begin = chunks.begin * CHUNK; begin < end; begin += step)
            for_each_batch_of({0, layout_.rows()}, [&](batch &b) {
                take_sums(b);
                write_columns(b, {begin, std::min(begin + step, end)});
            });
    }

private:
    // ---- the areas of the scratchpad (gradient_layout)

    template <typename Number>
    Number *shared(scratch area) const {
        return planned.scratchpad.get<Number>(area, args[SCRATCHPAD]);
    }
    double *part_sums(dim_t part) const { return shared<double>(scratch::gradient_sums) + part * layout_.width(); }
    T *kept_block(dim_t block) const { return shared<T>(scratch::kept_blocks) + block * layout_.width(); }
    // By chunks: for each row its sum s1 (`sum` is 0) or s2 (1) over the chunk.
    T *row_sums(int sum, dim_t chunk) const {
        return shared<T>(scratch::row_sums) + (chunk * 2 + sum) * layout_.rows();
    }

    // ---- steps

    void begin(batch &b) {
        b_.read_statistics(at.open_statistics(), b);
        if (b_.is_interleaved()) take_kept_block(b);
    }

    // Sums that nobody takes are not set: s1 without a mean, whose place s2 takes here, or both.
    void add_chunk(batch &b, const T *s1, const T *s2) const {
        if (b_.wants_row_sums_) b.add_chunk(b_.rms_ ? s2 : s1, s2);
    }

    void write_columns(batch &b, range columns) {
        const auto &kernel = b_.kernels_->data->choose(now.non_temporal);
        const dim_t step = planned.panel_columns;
        for (dim_t begin = columns.begin; begin < columns.end; begin += step) {
            const range some = {begin, std::min(begin + step, columns.end)};
            set_arguments(b, at.open(some), some);
            kernel(b);
            at.close();
        }
    }

    // ---- column sums

    // Finds the sums of each part: body(range rows) adds those of a row block to the current sums. Where a part is one
    // block, its sums are kept in the compute type.
    template <typename Body>
    void for_each_part(range parts, Body &&body) {
        for (dim_t part = parts.begin; part < parts.end; ++part) {
            if (layout_.keeps_blocks()) {
                begin_sums(kept_block(part), layout_.pitch());
                body(layout_.cut().block(part));
            } else {
                add_up(part, reinterpret_cast<T *>(get(scratch::column_sums)), part_sums(part), layout_.pitch(), body);
            }
        }
    }

    void begin_sums(T *sums, dim_t pitch) {
        std::memset(sums, 0, size_t(layout_.gradients() * pitch) * sizeof(T));
        sums_ = gradients_.begin(sums, pitch);
    }

    // The sums of a part of several row blocks, or of a partial problem.
    template <typename Body>
    void add_up(dim_t part, T *of_block, double *of_part, dim_t pitch, Body &&body) {
        const range blocks = layout_.cut().part(part);
        for (dim_t block = blocks.begin; block < blocks.end; ++block) {
            begin_sums(of_block, pitch);
            body(layout_.cut().block(block));
            gradients_.add(block == blocks.begin ? nullptr : of_part, of_block, of_part, layout_.gradients() * pitch);
        }
    }

    // Interleaved rows come from several row blocks in turn.
    void take_kept_block(const batch &b) {
        const dim_t block_rows = layout_.cut().block_rows();
        T *const sums = kept_block(b.first / block_rows);
        if (b.first % block_rows == 0) return begin_sums(sums, layout_.pitch());
        sums_ = gradients_.begin(sums, layout_.pitch());
    }

    // ---- chunks

    template <typename Body> // void(batch &)
    void for_each_batch_of(range rows, Body &&body) {
        batch b;
        at.for_each_batch(rows, MAX_BATCH_ROWS, [&](dim_t first, dim_t number) {
            b.first = first;
            b.rows = number;
            b_.read_statistics(at.open_statistics(), b);
            body(b);
        });
    }

    // Computes the sums s1 and s2 of all rows over one chunk, and the gradients of its columns.
    void reduce_chunk(dim_t chunk) {
        const dim_t pitch = gradient_pitch(CHUNK), width = layout_.gradients() * pitch;
        const range columns = layout_.columns_of(chunk);
        const auto reduce_rows = [&](range rows) {
            sums_ = sums_.after(-columns.begin);
            for_each_batch_of(rows, [&](batch &b) {
                set_arguments(b, at.open(columns), columns);
                (*b_.kernels_->sums)(b);
                if (!b_.wants_row_sums_) return;
                if (!b_.rms_) std::copy_n(b.s1, b.rows, row_sums(0, chunk) + b.first);
                std::copy_n(b.s2, b.rows, row_sums(1, chunk) + b.first);
            });
        };
        if (width == 0) return reduce_rows({0, layout_.rows()});
        auto *const of_part = reinterpret_cast<double *>(get(scratch::column_sums)), *const total = of_part + width;
        auto *const of_block = reinterpret_cast<T *>(total + width);
        for (dim_t part = 0; part < layout_.cut().parts(); ++part) {
            add_up(part, of_block, of_part, pitch, reduce_rows);
            if (gradients_.are_partial())
                gradients_.store_part(args, part, of_part, pitch, columns);
            else
                gradients_.add(part == 0 ? nullptr : total, of_part, total, width);
        }
        if (!gradients_.are_partial()) gradients_.finish(args, total, nullptr, 0, pitch, columns);
    }

    // Adds up the sums over the chunks of each row. Each thread does this for all rows.
    void take_sums(batch &b) {
        b.clear_sums();
        for (dim_t chunk = 0; chunk < layout_.chunks(); ++chunk)
            add_chunk(b, row_sums(0, chunk) + b.first, row_sums(1, chunk) + b.first);
        b.find_slopes(b_.inv_C_);
    }

    // ---- the arguments of kernels

    // Where the kernel writes a gradient of rows, or adds to these column sums.
    strip gradient_of(slot gradient, const strip &own, T *sums, range columns) const {
        if (!b_.gradients_of_rows_) return {reinterpret_cast<std::byte *>(sums), 0};
        return b_.own_rows_ ? own : strip{after(args[gradient], columns.begin * b_.gradient_size_), 0};
    }

    // For a panel that has these columns of a batch. Kernels that reduce rows add them to the current column sums.
    [[gnu::always_inline]] void set_arguments(batch &b, const panel &here, range columns) const {
        const column_sums<T> sums = sums_.after(columns.begin);
        b.count = columns.end - columns.begin;
        b.src = copy_of(here.src);
        b.diff_dst = copy_of(here.second);
        b.scale = b_.own_rows_ ? copy_of(here.scale) : strip{after(args[SCALE], columns.begin * b_.scale_size_), 0};
        b.diff_scale = gradient_of(DIFF_SCALE, here.diff_scale, sums.scale, columns);
        b.diff_shift = gradient_of(DIFF_SHIFT, here.diff_shift, sums.shift, columns);
        b.inverse_count = b_.inv_C_;
        b.band_rows = planned.band_rows;
        b.diff_sum = copy_of(here.sum);
        b.diff_src = copy_of(here.result);
    }

    const backward &b_;
    const gradient_layout &layout_;
    const gradient_sums<T> &gradients_;
    column_sums<T> sums_; // of the current row block; they point to the first column
};

} // namespace jitnorm::impl::layer_norm
