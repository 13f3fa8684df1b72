// SPDX-License-Identifier: Apache-2.0
// rows_in_place: a row source (row_tensors.hpp) for tensors in which every row is dense. Its panels are the tensors'
// own memory.
#pragma once

#include "../tensor/row_space.hpp"
#include "row_tensors.hpp"

namespace jitnorm::impl::layer_norm {

class rows_in_place {
public:
    // Whether the rows of a batch stay where they are while the cursor goes on to the next batch.
    static constexpr bool ROWS_STAY = true;

    // Whether this row source can serve these tensors.
    static bool take(const row_tensors &tensors);

    rows_in_place(const row_tensors &tensors, const plan &);

    dim_t rows() const { return space_.rows(); }
    // Where to cut the rows between two threads, at or before `row`.
    dim_t cut_at(dim_t row) const { return row; }

    class cursor {
    public:
        cursor(const rows_in_place &rows, const arguments &args, std::byte * /* no tiles */)
            : rows_(rows), args_(args) {}

        // Calls body(first row, number of rows) for batches of at most `most` rows that cover the range in order. The
        // functions below are for the body: they mean its batch.
        template <typename Body>
        void for_each_batch(range which, dim_t most, dim_t /* same_columns_until */, Body &&body) {
            dim_t row = which.begin;
            rows_.space_.for_each_run(which.begin, which.end, [&](const row_space::run &run) {
                for (dim_t done = 0; done < run.count; done += most) {
                    const dim_t number = std::min(most, run.count - done);
                    move_to(run, done);
                    body(row, number);
                    row += number;
                }
            });
        }

        // Inline and without a loop, so that panels stay in registers: a strip of two words that was just stored word
        // by word would be awaited.
        [[gnu::always_inline]] panel open(range columns) const {
            return {at(0, columns), at(1, columns), at(2, columns), at(3, columns), at(4, columns),
                    at(5, columns), at(6, columns), at(7, columns), at(8, columns)};
        }
        void close() const {}

        statistics_rows open_statistics() const {
            statistics_rows found = {.stride = rows_.statistics_stride_};
            for (const slot s : ROW_STATISTICS)
                if (args_[s] != nullptr) found[s] = static_cast<std::byte *>(args_[s]) + statistics_offset_;
            return found;
        }
        void close_statistics() const {}

        void finish(int, int) const {} // tensors of dense rows have no padding

    private:
        [[gnu::always_inline]] strip at(size_t field, range columns) const {
            return {batch_[field] + columns.begin * rows_.data_[field].size, rows_.data_[field].stride};
        }
        void move_to(const row_space::run &run, dim_t row) {
            for (size_t i = 0; i < rows_.count_; ++i) {
                const size_t field = rows_.fields_[i];
                const tensor &t = rows_.data_[field];
                batch_[field] = static_cast<std::byte *>(args_[t.place]) + run.offset[i] * t.size + row * t.stride;
            }
            if (rows_.statistics_size_ == 0) return;
            statistics_offset_ = (run.offset[rows_.count_] + row * rows_.statistics_stride_) * rows_.statistics_size_;
        }

        const rows_in_place &rows_;
        const arguments &args_;
        std::array<std::byte *, MAX_STEPPED_TENSORS> batch_ = {}; // the first row of the batch, by field
        dim_t statistics_offset_ = 0; // from the data handle to the batch's first statistic, in bytes
    };

private:
    struct tensor {
        slot place = NO_SLOT;
        dim_t size = 0, stride = 0; // bytes of an element, bytes from row to row of a run
    };

    row_space space_;                                     // of the data tensors and, behind them, the statistics
    size_t count_;                                        // of data tensors
    std::array<size_t, MAX_STEPPED_TENSORS> fields_ = {}; // of the data tensors in a panel
    std::array<tensor, MAX_STEPPED_TENSORS> data_ = {};   // by field; those that there are not have sizes of 0
    dim_t statistics_size_ = 0, statistics_stride_ = 1;   // bytes of an element, elements from row to row
};

} // namespace jitnorm::impl::layer_norm
