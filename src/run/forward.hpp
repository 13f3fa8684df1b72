// SPDX-License-Identifier: Apache-2.0
// forward: the direction forward for the driver (driver.hpp): its kernels, and the statistics of rows for its workers
// (forward_worker.hpp) and the executor of a single batch (single_batch.hpp).
//
// The steps that every batch takes are inline functions in this header: as calls they made a batch of 32 rows of 64
// elements take 8 % longer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "../base/bytes.hpp"
#include "../jit/kernels/kernels.hpp"
#include "../math/constants.hpp"
#include "post_op_operands.hpp"
#include "quantizer.hpp"
#include "row_batch.hpp"
#include "rows.hpp"

namespace jitnorm::impl::layer_norm {

// The kernels of a forward problem, and the numbers of its post-ops. Which kernels there are follows from types, flags
// and attributes, from the length of a row where that is short, and from the plan: the kernels of the steps that it
// takes (none where all rows go in bands), and the stores and prefetches that it says.
template <typename T> // the compute type
struct forward_kernels {
    forward_kernels(const problem &p, const plan &planned, const jit::vector_kind &kind);

    // Compute sums with a residual: `add` the rows to normalize only, `add_and_write` also the output for the sum.
    struct addition_kernels {
        jit::forward_kernel<T> add, add_and_write;
    };
    std::optional<addition_kernels> addition;         // empty: no residual is added by itself
    std::optional<addition_kernels> reduced_addition; // also reduce the sums, of long rows; empty: they cannot

    std::optional<jit::forward_kernel<T>> repeat; // a reduction over rows with given pivots; empty: nothing is reduced
    std::optional<jit::forward_kernel<T>> reduce; // the first reduction; empty where others do it
    std::optional<jit::stores_of<jit::forward_kernel<T>>> normalize; // empty: no dst

    std::optional<jit::forward_kernel<T>> one_row; // this and bands: only with float
    std::optional<jit::stores_of<jit::forward_kernel<T>>> bands;
    std::vector<T> post_op_parameters; // two per post-op, as forward_arguments says
    std::vector<jit::post_op_conf> post_ops;

private:
    void make_bands(const problem &p, const plan &planned, const jit::vector_kind &kind);
    void make_steps(const problem &p, const plan &planned, const jit::vector_kind &kind);
};

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

    // ---- the first reductions of a batch, or of a band of it in the kernel for bands, in the order of an execution

    // Sets what the scalar steps need: 1 / the length of a whole row, epsilon, the addresses of the batch's arrays, and
    // what the kernel for bands calls if a first reduction is not enough.
    [[gnu::always_inline]] void set_scalar_steps(jit::forward_arguments<T> &call, batch &b) const;
    // forward_arguments::refine and next_chunk, with this object as the context.
    static void refine_band(const jit::forward_arguments<T> &call, dim_t first, dim_t rows);
    static bool next_chunk(jit::forward_arguments<T> &call, dim_t first, dim_t rows);
    static void store_results(const batch &b, const jit::forward_arguments<T> &call, dim_t first);
    // Sets the arguments for rows of several chunks. `rows` has room for each row.
    void begin_chunks(jit::forward_arguments<T> &call, moments<T> *rows) const;
    // Moves the rows that are added or reduced by so many columns.
    void move_columns(jit::forward_arguments<T> &call, dim_t columns) const;
    // For rows of at most CHUNK elements, after the first reduction, whose sums are in the batch.
    [[gnu::always_inline]] void find_statistics(const strip &src, batch &b) const;
    void refine_rest(const strip &src, batch &b) const;

    // ---- the moments of chunks, and of rows of several

    static void add_chunk(moments<T> &row, bool is_first, const moments<T> &found) {
        row = is_first ? found : merge(row, found);
    }

    // For longer rows: calls body(the number of a chunk, its moments) for each chunk of these columns of a row. `src`
    // points to the first of the columns, which begins a chunk.
    template <typename Body>
    void for_each_chunk(const std::byte *src, range columns, Body &&body) const;
    // Reduces so many rows of `count` elements with this kernel.
    static void reduce(const jit::forward_kernel<T> &kernel, const strip &x, dim_t rows, dim_t count, T *p, T *s, T *q,
                       T factor = 1);
    // From the sums of a first reduction or, if k is not 1, of one that was repeated with this factor.
    moments<T> refine_chunk(const std::byte *src, dim_t count, T p, const sums<T> &found, T k = 1) const;
    sums<T> repeat(const std::byte *src, dim_t count, T pivot, T factor) const;
    // Sets the batch's statistics from the moments of its rows, an array at any address.
    void set_statistics(const void *rows, batch &b) const;

    // ---- the tensors of statistics

    void read_statistics(const statistics_rows &from, batch &b) const;
    [[gnu::always_inline]] void write_statistics(const batch &b, const statistics_rows &to) const;

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

template <typename T>
inline void forward<T>::set_scalar_steps(jit::forward_arguments<T> &call, batch &b) const {
    call.pivot = b.p;
    call.s = b.s;
    call.q = b.q;
    call.hi = b.hi;
    call.rstd = b.rstd;
    call.bias = b.bias;
    call.variance = b.variance;
    call.inverse_count = inv_C_;
    call.epsilon = epsilon_;
    call.refine = refine_band;
    call.context = this;
    call.next_chunk = nullptr;
}

template <typename T>
inline void forward<T>::find_statistics(const strip &src, batch &b) const {
    if (rms_) b.set_no_pivots();
    const bool exact = C_ == 1 && !rms_; // the difference is zero or NaN, so no other reduction is needed
    if (!b.take_first_reductions(double(C_), inv_C_) && !exact) refine_rest(src, b);
    b.complete(epsilon_);
}

// The chunks are the rows of the kernel, MAX_BATCH_ROWS at a time.
template <typename T>
template <typename Body>
inline void forward<T>::for_each_chunk(const std::byte *src, range columns, Body &&body) const {
    T p[MAX_BATCH_ROWS], s[MAX_BATCH_ROWS], q[MAX_BATCH_ROWS];
    for (dim_t begin = columns.begin; begin < columns.end;) {
        const dim_t count = std::min(CHUNK, columns.end - begin);
        const dim_t chunks = std::clamp<dim_t>((columns.end - begin) / CHUNK, 1, MAX_BATCH_ROWS);
        const strip x = {const_cast<std::byte *>(src), CHUNK * row_size_};
        reduce(*kernels_->reduce, x, chunks, count, p, s, q);
        for (dim_t k = 0; k < chunks; ++k, begin += count, src += count * row_size_)
            body(begin / CHUNK, refine_chunk(src, count, p[k], {s[k], q[k]}));
    }
}

template <typename T>
inline void forward<T>::write_statistics(const batch &b, const statistics_rows &to) const {
    const auto store = [&](slot s, const auto *from) {
        store_statistics(from, b.rows, to[s], statistics_type_, to.stride);
    };
    if (writes_mean_) store(MEAN, b.hi);
    if (writes_variance_) form_ == statistics_form::variance ? store(VARIANCE, b.variance) : store(VARIANCE, b.rstd);
}

} // namespace jitnorm::impl::layer_norm
