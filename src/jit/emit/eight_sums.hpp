// SPDX-License-Identifier: Apache-2.0
// eight_sums: emits the reduction of eight rows of floats, side by side where the steps of one row are a chain (its
// pivot, its horizontal sum), and otherwise row by row. The bits are those of rows that are reduced by themselves.
#pragma once

#include <array>
#include <functional>

#include "element_io.hpp"
#include "sums.hpp"

namespace jitnorm::impl::jit {

// The steps in their order: find_pivots(), begin(), sum_rows() and add_up(). Between the last two, the lanes of each
// row, folded to four of s and four of q, are in the frame.
class eight_sums {
    using ymm = Xbyak::Ymm;

public:
    static constexpr int ROW_BYTES = 32, BYTES = BAND_UNIT * ROW_BYTES;
    static_assert(BAND_UNIT == 8);
    struct arrays { // of the rows' numbers; p and s only if the sums are `centered`
        size_t p, s, q;
    };

    // The first four of `unused`, and `work`, are free but while sum_rows() adds to lanes. BYTES of the frame begin at
    // [rsp + frame]. `next` points to the lanes of the next row; `index` is that of the row loop.
    eight_sums(kernel_generator &g, row_loop &rows, const reg &index, const reg &next, lanes unused, const vmm &work,
               int frame, bool centered, const arrays &numbers)
        : g_(g), rows_(rows), index_(index),
          next_(next), four_{ymm_of(unused[0]), ymm_of(unused[1]), ymm_of(unused[2]), ymm_of(unused[3])},
          work_(ymm_of(work)), frame_(frame), centered_(centered), numbers_(numbers) {}

    // Stores the pivots of rows of at least four elements of `type`. `first` is the address of the first row, and
    // afterwards that of the row after the eight. `quarter` holds 0.25 (pivots::begin()).
    void find_pivots(element_io &io, jitnorm_data_type_t type, const reg &first, const reg &stride,
                     const vmm &quarter) {
        const reg &fifth = next_; // no row has lanes yet
        g_.lea(fifth, g_.ptr[first + stride * 4]);
        for (const ymm &four : four_) { // rows i and i + 4 are side by side
            io.load_four(four, first, type);
            if (type == jitnorm_f32) {
                g_.vinsertf128(four, four, g_.ptr[fifth], 1);
            } else {
                io.load_four(work_, fifth, type);
                g_.vinsertf128(four, four, xmm_of(work_), 1);
            }
            g_.vmulps(four, four, ymm_of(quarter));
            g_.add(first, stride);
            g_.add(fifth, stride);
        }
        g_.mov(first, fifth);
        g_.vhaddps(four_[0], four_[0], four_[1]); // the sums of elements 0 and 1 and of elements 2 and 3 of each row
        g_.vhaddps(four_[2], four_[2], four_[3]);
        g_.vhaddps(four_[0], four_[0], four_[2]);
        g_.vmovups(g_.ptr[rows_.of_row(numbers_.p)], four_[0]);
    }

    void begin() { g_.lea(next_, g_.ptr[g_.rsp + frame_]); }

    // Emits the loop over the rows. sum() emits the sums of a row and leaves their lanes in `s` and `q`, those of s
    // with the other sign if it is `negated`.
    void sum_rows(horizontal_sum &total, lanes s, lanes q, bool negated, const std::function<void()> &sum) {
        Xbyak::Label row;
        g_.L(row);
        sum();
        const ymm low_q = total.to_ymm(q), low_s = centered_ ? total.to_ymm(s) : low_q; // the latter has no meaning
        if (centered_ && negated) {
            g_.ops.clear(work_);
            g_.ops.sub(low_s, work_, low_s);
        }
        g_.vperm2f128(work_, low_s, low_q, 0x20);
        g_.vperm2f128(low_q, low_s, low_q, 0x31);
        g_.vaddps(work_, work_, low_q);
        g_.vmovaps(g_.ptr[next_], work_);
        g_.add(next_, ROW_BYTES);
        rows_.move_on();
        g_.test(index_, BAND_UNIT - 1);
        g_.jnz(row, NEAR);
    }

    // Adds up the rows, in whose lanes four of s are followed by four of q, and stores their sums.
    void add_up() {
        const auto lanes_of = [&](int row) { return g_.ptr[g_.rsp + frame_ + row * ROW_BYTES]; };
        for (int pair = 0; pair < BAND_UNIT / 2; ++pair) {
            const ymm &sums = four_[size_t(pair)];
            g_.vmovaps(work_, lanes_of(2 * pair));
            g_.vunpcklpd(sums, work_, lanes_of(2 * pair + 1));  // lanes 0 and 1 of both rows
            g_.vunpckhpd(work_, work_, lanes_of(2 * pair + 1)); // lanes 2 and 3 of both rows
            g_.vaddps(sums, sums, work_);
        }
        for (const size_t half : {0, 1}) {
            const ymm &sums = four_[2 * half], &second = four_[2 * half + 1];
            const int row = int(half) * BAND_UNIT / 2;
            g_.vshufps(work_, sums, second, 0x88); // even lanes
            g_.vshufps(sums, sums, second, 0xDD);
            g_.vaddps(sums, work_, sums);
            if (centered_) g_.vmovups(of_row(numbers_.s, row), xmm_of(sums));
            g_.vextractf128(of_row(numbers_.q, row), sums, 1);
        }
    }

private:
    // Of the eight rows, which the row loop has left behind.
    Xbyak::Address of_row(size_t array, int row) const {
        return g_.ptr[rows_.of_row(array) + (row - BAND_UNIT) * int(sizeof(float))];
    }

    kernel_generator &g_;
    row_loop &rows_;
    const reg index_, next_;
    const std::array<ymm, 4> four_;
    const ymm work_;
    const int frame_;
    const bool centered_;
    const arrays numbers_;
};

} // namespace jitnorm::impl::jit
