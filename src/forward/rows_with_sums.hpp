// SPDX-License-Identifier: Apache-2.0
// rows_with_sums: a row source (row_tensors.hpp) around another one, for problems that add a residual. Its panels have
// the sums in the place of src, and also the terms of the sums (panel_places.hpp).
//
// If the output for the sum holds the sums as they are normalized (plan::sum_pitch is 0), they are computed there when
// they are first opened. Otherwise they have a tile for the columns of one panel. If a panel has whole rows, its sums
// are computed once. If not, they are computed twice, for the statistics and for the normalization, and the output is
// written the second time only, because it may overwrite the residual in place.
#pragma once

#include <algorithm>
#include <memory>

#include "../layout/row_tensors.hpp"
#include "../math/constants.hpp"
#include "forward_kernels.hpp"
#include "panel_places.hpp"

namespace jitnorm::impl::layer_norm {

template <typename T, typename Rows> // the compute type, and the inner row source
class rows_with_sums {
public:
    rows_with_sums(const problem &p, const plan &how, std::shared_ptr<const forward_kernels<T>> kernels)
        : rows_(row_tensors_of(p), how), kernels_(std::move(kernels)), result_(size_t(row_tensors_of(p).result)),
          writes_sum_(p.writes(SUM)), writes_pre_quantization_(p.writes(PRE_QUANTIZATION)),
          given_(p.statistics_are_inputs()), columns_(p.row_length()), sum_bytes_(how.sum_bytes()),
          pitch_(how.sum_pitch), element_size_(dim_t(size_of(p.row_type()))),
          bias_size_(dim_t(size_of(p.attr.bias_type))) {}

    dim_t rows() const { return rows_.rows(); }
    dim_t cut_at(dim_t row) const { return rows_.cut_at(row); }
    // Whether the kernel that computes the sums also does the first reduction (open_and_reduce()). It does so for rows
    // of at least a block, because shorter rows are reduced faster several at a time, and of at most a chunk.
    bool reduces() const { return kernels_->reducing_addition && BLOCK <= columns_ && columns_ <= CHUNK; }

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
        // Is called before open(), in place of open_to_read(), for all columns of the batch's rows. Writes the rows'
        // sums of squares to q.
        panel open_and_reduce(range rows, range columns, T *q) {
            const panel here = at_.open(rows, columns);
            const auto &kernels = *rows_.kernels_->reducing_addition;
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
            if (rows_.writes_pre_quantization_) result[Z] = here[rows_.result_ + 1];
            result[TERMS] = here[SRC_ROWS];
            result[TERMS + 1] = here[RESIDUAL_ROWS];
            return result;
        }
        strip in_tile(range columns) const {
            return {tile_.first + (columns.begin - added_.begin) * rows_.element_size_, tile_.stride};
        }

        // Columns are opened in ascending order; columns whose sums are there may be opened again.
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

        // The places in the panels of the inner row source. SUMS exists if the sum is an output.
        static constexpr size_t SRC_ROWS = 0, RESIDUAL_ROWS = 1, SUMS = 2;

        const rows_with_sums &rows_;
        typename Rows::cursor at_;
        strip tile_;
        const std::byte *bias_;
        range added_ = {0, 0}; // the columns of the batch whose sums are there
        bool written_ = false; // whether these sums are in the output, too, if there is one
    };

private:
    bool has_tile() const { return pitch_ != 0; }

    Rows rows_;
    std::shared_ptr<const forward_kernels<T>> kernels_;
    size_t result_;                                     // the place of dst in a panel of the inner row source
    bool writes_sum_, writes_pre_quantization_, given_; // given: statistics are inputs
    dim_t columns_;                                     // of a row
    dim_t sum_bytes_, pitch_;                           // bytes of the tile, bytes from row to row of it
    dim_t element_size_, bias_size_;                    // bytes of an element of the tile, of an element of the bias
};

} // namespace jitnorm::impl::layer_norm
