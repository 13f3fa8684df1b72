// SPDX-License-Identifier: Apache-2.0
// rows_with_sums: a row source (row_tensors.hpp) over another one, for problems that add a residual: its panels show
// sums and their terms (panel_places.hpp). Where the output for the sum has them as they are to be normalized
// (plan::sum_pitch is 0) they are added up there when they are first asked for. Else they have a tile of their own for
// a batch's columns: if these are whole rows they are added up once, else twice, for the statistics and to be
// normalized, and written the second time, for the sum may have the residual's place.
#pragma once

#include <algorithm>
#include <memory>

#include "../arithmetic/constants.hpp"
#include "../layout/row_tensors.hpp"
#include "forward_kernels.hpp"
#include "panel_places.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // the compute type, and where the tensors' rows come from
class rows_with_sums {
public:
    rows_with_sums(const problem &p, const plan &how, std::shared_ptr<const forward_kernels<T>> kernels)
        : rows_(row_tensors_of(p), how), kernels_(std::move(kernels)), result_(size_t(row_tensors_of(p).result)),
          writes_sum_(p.writes_sum()), writes_unquantized_(p.writes_unquantized()), given_(p.statistics_are_inputs()),
          columns_(p.row_length()), sum_bytes_(how.sum_bytes()), pitch_(how.sum_pitch),
          element_size_(dim_t(size_of(p.row_type()))), bias_size_(dim_t(size_of(p.attr.residual.bias_type))) {}

    dim_t rows() const { return rows_.rows(); }
    dim_t cut_at(dim_t row) const { return rows_.cut_at(row); }
    // Whether the first sweep's sums are found while rows are added up: of rows that are long enough to be swept each
    // by itself, at once.
    bool sweep() const { return kernels_->sweeping_addition && BLOCK <= columns_ && columns_ <= CHUNK; }

    class cursor {
    public:
        cursor(const rows_with_sums &rows, const arguments &args, std::byte *tiles)
            : rows_(rows), at_(rows.rows_, args, tiles + rows.sum_bytes_), tile_{tiles, rows.pitch_},
              bias_(static_cast<const std::byte *>(args[BIAS])) {}

        template <typename Body>
        void for_each_batch(range which, dim_t most, dim_t same_columns_until, Body &&body) {
            at_.for_each_batch(which, most, same_columns_until, [&](dim_t first, dim_t number) {
                added_ = {0, 0};
                body(first, number);
            });
        }

        panel open_to_read(range rows, range columns) {
            const panel here = at_.open(rows, columns);
            if (!rows_.has_tile()) return add_in_place(here, rows, columns);
            if (!are_there(columns)) add_to_tile(here, rows, columns, columns.end - columns.begin == rows_.columns_);
            return shown(here, columns);
        }
        // The first of the two for a batch's whole rows; their sums of squares go to q.
        panel open_and_sweep(range rows, range columns, T *q) {
            const panel here = at_.open(rows, columns);
            const auto &kernels = *rows_.kernels_->sweeping_addition;
            add(rows_.has_tile() ? kernels.add_and_write : kernels.add, here, rows, columns, q);
            added_ = columns;
            written_ = true;
            return shown(here, columns);
        }
        panel open(range rows, range columns) {
            const panel here = at_.open(rows, columns);
            if (!rows_.has_tile()) return rows_.given_ ? add_in_place(here, rows, columns) : shown(here, columns);
            if (!written_ || !are_there(columns)) add_to_tile(here, rows, columns, true);
            return shown(here, columns);
        }
        void close(range rows, range columns) { at_.close(rows, columns); }
        statistics_rows open_statistics() { return at_.open_statistics(); }
        void close_statistics() const { at_.close_statistics(); }
        void finish(int share, int shares) { at_.finish(share, shares); }

    private:
        bool are_there(range columns) const { return added_.begin <= columns.begin && columns.end <= added_.end; }

        panel shown(const panel &here, range columns) const {
            panel result = {};
            result[X] = rows_.has_tile() ? in_tile(columns) : here[SUMS];
            result[Y] = here[rows_.result_];
            if (rows_.writes_unquantized_) result[Z] = here[rows_.result_ + 1];
            result[TERMS] = here[SRC_ROWS];
            result[TERMS + 1] = here[RESIDUAL_ROWS];
            return result;
        }
        strip in_tile(range columns) const {
            return {tile_.first + (columns.begin - added_.begin) * rows_.element_size_, tile_.stride};
        }

        // Columns come in order; what has been added up may be asked for again.
        panel add_in_place(const panel &here, range rows, range columns) {
            if (columns.end > added_.end) add(rows_.kernels_->addition->add, here, rows, columns);
            added_.end = std::max(added_.end, columns.end);
            return shown(here, columns);
        }

        void add_to_tile(const panel &here, range rows, range columns, bool writes) {
            const auto &kernels = *rows_.kernels_->addition;
            add(writes ? kernels.add_and_write : kernels.add, here, rows, columns);
            added_ = columns;
            written_ = writes;
        }

        void add(const jit::addition_kernel<T> &kernel, const panel &here, range rows, range columns,
                 T *q = nullptr) const {
            const strip &src = here[SRC_ROWS], &residual = here[RESIDUAL_ROWS],
                        to = rows_.has_tile() ? tile_ : here[SUMS];
            const strip sum = rows_.writes_sum_ ? here[SUMS] : strip{nullptr, 0};
            kernel({.src = src.first,
                    .residual = residual.first,
                    .bias = behind(bias_, columns.begin * rows_.bias_size_),
                    .sum = sum.first,
                    .row = to.first,
                    .src_row_stride = src.stride,
                    .residual_row_stride = residual.stride,
                    .sum_row_stride = sum.stride,
                    .row_stride = to.stride,
                    .rows = rows.end - rows.begin,
                    .count = columns.end - columns.begin,
                    .q = q});
        }

        // In the panels of the source below, sums where they are an output.
        static constexpr size_t SRC_ROWS = 0, RESIDUAL_ROWS = 1, SUMS = 2;

        const rows_with_sums &rows_;
        typename Rows::cursor at_;
        strip tile_;
        const std::byte *bias_;
        range added_ = {0, 0}; // columns of the batch whose sums are in the tile
        bool written_ = false; // and where they are to be written
    };

private:
    bool has_tile() const { return pitch_ != 0; }

    Rows rows_;
    std::shared_ptr<const forward_kernels<T>> kernels_;
    size_t result_;                                // of the tensors: dst
    bool writes_sum_, writes_unquantized_, given_; // given: the statistics
    dim_t columns_;
    dim_t sum_bytes_, pitch_;        // of the tile and of its rows, in bytes
    dim_t element_size_, bias_size_; // of an element of its rows and of the bias, in bytes
};

} // namespace jitnorm::impl::layer_norm
