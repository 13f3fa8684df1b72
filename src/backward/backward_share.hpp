// SPDX-License-Identifier: Apache-2.0
// backward_share: one thread's share of an execution. It takes batches of rows from a row source through the kernels.
#pragma once

#include <type_traits>

#include "../layout/rows_interleaved.hpp"
#include "../math/simd.hpp"
#include "backward_batches.hpp"
#include "backward_work.hpp"

namespace jitnorm::impl::layer_norm {

// The data that all shares have in common. T is the compute type.
template <typename T>
struct backward_parts {
    problem p;
    plan how;
    backward_work work;
    backward_batches<T> batches;

    backward_parts(const problem &p_, const plan &how_, std::shared_ptr<const backward_kernels<T>> kernels)
        : p(p_), how(how_), work(p_), batches(p_, std::move(kernels)) {}
};

template <typename T, typename Rows>
class backward_share {
public:
    using batch = backward_batch<T>;

    backward_share(const backward_parts<T> &parts, const Rows &rows, const arguments &args, const walk &how, int share)
        : parts_(parts), args_(args), how_(how), share_(share),
          at_(rows, args, parts.how.scratchpad.tiles(args[SCRATCHPAD], share)) {}

    // The scratchpad of this share, and the one that all shares have in common.
    std::byte *own() const { return parts_.how.scratchpad.own(args_[SCRATCHPAD], share_); }
    std::byte *common() const { return parts_.how.scratchpad.common(args_[SCRATCHPAD]); }

    // Says that the rows before this one will all be opened with the same columns, so that a tile may take rows of
    // several batches (rows_in_tiles.hpp).
    void set_same_columns_until(dim_t row) { same_columns_until_ = row; }

    // Calls body(batch &, first row) for the batches of these rows, or of these units if rows are interleaved. The
    // batch's statistics have been read.
    template <typename Body>
    void for_each_batch(range items, Body &&body) {
        batch b;
        const auto use = [&](dim_t first, dim_t number) {
            b.rows = number;
            b.read_statistics(parts_.p, at_.open_statistics());
            body(b, first);
        };
        if constexpr (std::is_same_v<Rows, rows_interleaved>)
            at_.for_each_batch(items, use);
        else
            at_.for_each_batch(items, MAX_BATCH_ROWS, same_columns_until_, use);
    }

    // Computes the sums of some rows of a batch and then their diff_src. The rows should be so few that they stay in L1
    // meanwhile.
    void run(batch &b, range rows, const column_sums<T> &to) {
        const dim_t columns = parts_.work.columns(), step = parts_.how.panel_columns;
        // The kernel does not write chunk_s1 for rms_norm, which has no use for this sum. Adding up chunk_s2 in its
        // place reads no memory that is not set.
        const T *const s1 = parts_.p.is_rms() ? b.chunk_s2 : b.chunk_s1;
        b.clear_sums(rows);
        if (parts_.batches.have_sums())
            for (dim_t chunk = 0; chunk < parts_.work.chunks(); ++chunk) {
                sum(b, rows, parts_.work.columns_of(chunk), to, b.chunk_s1, b.chunk_s2);
                b.add_chunk(rows, s1, b.chunk_s2);
            }
        if (!parts_.p.writes(DIFF_SRC)) return;
        b.find_slopes(rows, 1.0 / double(columns));
        for (dim_t begin = 0; begin < columns; begin += step) write(b, rows, {begin, std::min(begin + step, columns)});
    }

    // The functions of backward_batches on the panel of these rows and columns.
    void sum(const batch &b, range rows, range columns, const column_sums<T> &to, T *s1, T *s2) {
        parts_.batches.sum(args_, how_, at_.open(rows, columns), b, rows, columns, to, s1, s2);
    }
    void write(const batch &b, range rows, range columns) {
        parts_.batches.write(args_, how_, at_.open(rows, columns), b, rows, columns);
        at_.close(rows, columns);
    }

    // Is called when the share has written diff_src.
    void finish() {
        at_.finish(share_, how_.threads);
        finish_non_temporal_stores(how_.non_temporal);
    }

private:
    const backward_parts<T> &parts_;
    const arguments &args_;
    const walk &how_;
    int share_;
    typename Rows::cursor at_;
    dim_t same_columns_until_ = 0;
};

} // namespace jitnorm::impl::layer_norm
