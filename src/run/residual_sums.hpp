// SPDX-License-Identifier: Apache-2.0
// residual_sums: the rows that forward normalizes where a residual is added to src, made by a kernel of their own.
//
// Rows of sums lie in the output for the sum, if it holds them as they are normalized (plan::sum_pitch is 0). Otherwise
// they have a tile for the columns of one panel. If a panel has whole rows, its sums are computed once. If not, they
// are computed twice, to reduce them and to normalize them, and the output is written the second time only, because it
// may overwrite the residual in place.
#pragma once

#include "forward_kernels.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

// What all threads know of the addition.
template <typename T> // the compute type
struct residual_addition {
    residual_addition(const problem &p, const plan &planned, const forward_kernels<T> &made);

    const plan &planned;
    const forward_kernels<T> &kernels;
    bool exists, has_tile;
    bool has_dst,
        is_reduced;    // whether dst is written; whether rows are reduced in this execution before they are written
    dim_t C, row_size; // columns; bytes of an element of the sums
    dim_t src_size, residual_size, bias_size, gate_size, gate_begin; // bytes of an element; the gate's offset
};

// What one thread has of the sums of its batch.
template <typename T>
class residual_sums {
public:
    struct first_sums { // one of each for each row
        T *pivot = nullptr, *s = nullptr, *q = nullptr;
    };

    residual_sums(const residual_addition<T> &of, const arguments &args, int share)
        : of_(of), args_(args), share_(share) {}

    // A batch begins: there are no sums yet.
    void begin() { added_ = {0, 0}; }
    // Where one batch is written while the next one is reduced, the batches take turns with two tiles.
    void change_tiles() { tile_ = 1 - tile_; }

    // These columns of the rows to normalize, to be read only or when dst is written; src where nothing is added.
    // Columns of sums are opened in ascending order; those that are there may be opened again.
    strip rows_to_reduce(const panel &here, range columns, dim_t rows) {
        return of_.exists ? sums_to_reduce(here, columns, rows) : here.src;
    }
    [[gnu::always_inline]] strip rows_to_write(const panel &here, range columns, dim_t rows) {
        return of_.exists ? sums_to_write(here, columns, rows) : here.src;
    }
    // The whole rows of sums that are or will be there.
    strip whole_rows(const panel &here) const { return rows_of(here, {added_.begin, of_.C}); }

    // Adds up a panel and does the first reduction besides.
    strip add_and_reduce(const panel &here, range columns, dim_t rows, const first_sums &sums);
    // The same for a panel whose chunks follow.
    void begin_panel(range columns);
    strip add_and_reduce_chunk(const panel &here, range chunk, dim_t rows, const first_sums &sums);

    jit::addition_arguments<T> arguments_for(const panel &here, const strip &to, range columns, dim_t rows,
                                             const first_sums &sums) const;

private:
    bool are_added(range columns) const { return added_.begin <= columns.begin && columns.end <= added_.end; }

    strip sums_to_reduce(const panel &here, range columns, dim_t rows);
    strip sums_to_write(const panel &here, range columns, dim_t rows);
    // Computes the sums of a panel, and reduces them if the kernels do. If they have a tile, `writes` says whether the
    // output is written besides; otherwise the output is their place.
    void add(const typename forward_kernels<T>::addition_kernels &with, bool writes, const panel &here, range columns,
             dim_t rows, const first_sums &sums = {});
    strip rows_of(const panel &here, range columns) const;
    strip tile() const;

    const residual_addition<T> &of_;
    const arguments &args_;
    int share_;
    dim_t tile_ = 0;       // the batch's tile
    range added_ = {0, 0}; // the columns of the batch whose sums are there
    bool written_ = false; // whether these sums are in the output, too, if there is one
};

} // namespace jitnorm::impl::layer_norm
