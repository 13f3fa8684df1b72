// SPDX-License-Identifier: Apache-2.0
// forward: the direction forward for the driver (driver.hpp): what its workers (forward_worker.hpp) and the executor of
// a single batch (single_batch.hpp) have in common, which are the statistics of rows.
//
// The steps that every batch takes are inline functions in this header: as calls they made a batch of 32 rows of 64
// elements take 8 % longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>

#include "../base/bytes.hpp"
#include "../math/constants.hpp"
#include "driver.hpp"
#include "forward_kernels.hpp"
#include "post_op_operands.hpp"
#include "quantizer.hpp"
#include "residual_sums.hpp"
#include "row_batch.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T> // the compute type
class forward {
public:
    using kernels = forward_kernels<T>;
    using batch = forward_batch<T>;
    template <typename Rows>
    class worker;
    static constexpr bool INTERLEAVES = false; // whether plans may say row_access::interleaved

    // Keeps references to the problem and the plan.
    forward(const problem &p, const plan &planned, std::shared_ptr<const kernels> made);

    void end_rows(const arguments &, const schedule &) const {}
    void end(const arguments &, const schedule &) const {}

    bool reduces() const { return !given_; }
    bool writes() const { return has_dst_ || writes_mean_ || writes_variance_; }
    // The chunks of all rows; those of one row follow each other.
    dim_t chunk_items() const { return problem_.rows() * chunks(); }

private:
    friend class single_batch;

    dim_t chunks() const { return (C_ + CHUNK - 1) / CHUNK; } // of a row

    // ---- statistics

    // For rows of at most CHUNK elements.
    [[gnu::always_inline]] void find_statistics(const strip &src, batch &b) const;
    // The same after the first reduction, whose sums are in the batch.
    [[gnu::always_inline]] void take_first_reductions(const strip &src, batch &b) const;

    // For longer rows: computes the moments of these columns of a row, chunk by chunk, and merges them to `row`. `src`
    // points to the first of the columns. If that is column 0, `row` is set.
    void add_chunks(const std::byte *src, range columns, moments<T> &row) const;
    // The moments of one chunk of `count` elements.
    moments<T> chunk_moments(const std::byte *src, dim_t count) const;
    // Sets the batch's statistics from the moments of its rows.
    void set_statistics(const moments<T> *rows, batch &b) const;

    void read_statistics(const statistics_rows &from, batch &b) const;
    // From the moments of whole rows that share columns with other problems.
    void read_moments(const void *of_rows, batch &b) const;
    [[gnu::always_inline]] void write_statistics(const batch &b, const statistics_rows &to) const;

    [[gnu::noinline]] void convert_statistics(const batch &b, const statistics_rows &to) const;
    void refine_rest(const strip &src, batch &b) const;
    // Does the rows of the batch from their inputs to dst, by a kernel that there is for float only. `reduced`, but for
    // its arrays, `written` and `added` are set.
    [[gnu::always_inline]] void do_bands(const jit::forward_rows_kernel &kernel, jit::forward_rows_arguments &call,
                                         batch &b) const;
    // forward_rows_arguments::refine, with this object as the context.
    static void refine_band(const jit::forward_rows_arguments &call, dim_t first, dim_t rows);
    moments<T> refined(const std::byte *row, const batch &b, dim_t r, T k) const;
    moments<T> refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &first) const;
    sums<T> repeat(const std::byte *src, dim_t count, T pivot, T factor) const;

    const problem &problem_;
    const plan &plan_;
    std::shared_ptr<const kernels> kernels_;
    post_op_operands<T> operands_;
    residual_addition<T> addition_;
    std::optional<quantizer> quantizer_; // where scales are found
    bool given_;                         // whether statistics, or the moments of rows, are inputs
    bool writes_moments_, has_dst_;
    bool own_scale_, own_shift_; // whether each row has its own
    bool writes_mean_, writes_variance_, rms_;
    statistics_form form_;
    jitnorm_data_type_t statistics_type_;
    dim_t C_, row_size_, scale_size_; // columns; bytes of an element of the rows to normalize, of scale
    double epsilon_, inv_C_;
};

template <typename T>
inline void forward<T>::find_statistics(const strip &src, batch &b) const {
    (*kernels_->reduce)({.src = src.first,
                         .row_stride = src.stride,
                         .rows = b.rows,
                         .count = C_,
                         .pivot = b.p,
                         .s = b.s,
                         .q = b.q,
                         .factor = 1});
    take_first_reductions(src, b);
}

template <typename T>
inline void forward<T>::take_first_reductions(const strip &src, batch &b) const {
    if (rms_) b.set_no_pivots();
    const bool exact = C_ == 1 && !rms_; // the difference is zero or NaN, so no other reduction is needed
    if (!b.take_first_reductions(double(C_), inv_C_) && !exact) refine_rest(src, b);
    b.complete(epsilon_);
}

template <typename T>
inline void forward<T>::do_bands(const jit::forward_rows_kernel &kernel, jit::forward_rows_arguments &call,
                                 batch &b) const {
    if constexpr (std::is_same_v<T, float>) {
        call.reduced.pivot = b.p;
        call.reduced.s = b.s;
        call.reduced.q = b.q;
        call.variance = b.wide;
        call.inverse_count = inv_C_;
        call.epsilon = epsilon_;
        call.band_rows = plan_.band_rows;
        call.refine = refine_band;
        call.context = this;
        kernel(call);
    }
}

template <typename T>
inline void forward<T>::write_statistics(const batch &b, const statistics_rows &to) const {
    if (statistics_type_ != jitnorm_f32 || to.stride != 1) return convert_statistics(b, to); // hardly ever
    if (writes_mean_) b.copy_means(to[MEAN]);
    if (writes_variance_) b.copy_deviations(form_, to[VARIANCE]);
}

} // namespace jitnorm::impl::layer_norm
