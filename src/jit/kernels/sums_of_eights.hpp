// SPDX-License-Identifier: Apache-2.0
// sums_of_eights: adds up the lanes of eight rows at once; a part of passes that reduce rows.
#pragma once

#include <algorithm>

#include "../emit/sums.hpp"
#include "kernels.hpp"
#include "scalar_steps.hpp"

namespace jitnorm::impl::jit {

class sums_of_eights {
    using ymm = Xbyak::Ymm;

public:
    static constexpr int ROWS = sums_of_eight::ROWS, BYTES = ROWS * sums_of_eight::ROW_BYTES;
    static_assert(ROWS == BAND_UNIT);
    struct arrays { // the addresses of the arrays of the rows' numbers; pivots and s only if the sums are `centered`
        Xbyak::Address pivot, s, q;
    };

    // `four` and `work` are free while lanes are added up. The lanes of rows are in BYTES of the frame, from
    // [rsp + frame] on; `next` points to the lanes of the next row.
    sums_of_eights(kernel_generator &g, row_loop &rows, const reg &next, const std::array<ymm, 4> &four,
                   const ymm &work, int frame, bool centered, const arrays &numbers)
        : g_(g), rows_(rows), next_(next), four_(four), eight_(g, four, work), frame_(frame), centered_(centered),
          numbers_(numbers) {}

    void begin() { g_.lea(next_, g_.ptr[g_.rsp + frame_]); }

    // Keeps the lanes of one row as horizontal_sum::to_ymm() leaves them, without a center only of q. Changes q.
    void keep(const ymm &s, const ymm &q) {
        eight_.keep(g_.ptr[next_], centered_ ? s : q, q);
        g_.add(next_, sums_of_eight::ROW_BYTES);
    }

    // Adds up eight rows, which the row loop has passed, and stores their sums. finish() emits what follows for four
    // rows at a time; it may also use the registers `free`.
    void add_up(register_set free, function_ref<void(const reduced_rows &)> finish) {
        std::vector<int> rest = free.free_vectors();
        std::erase_if(rest, [&](int i) { return std::ranges::count(four_, i, &Xbyak::Ymm::getIdx) != 0; });
        const vmm p(rest.at(0)), q(rest.at(1));
        rest.erase(rest.begin(), rest.begin() + 2);
        eight_.add_up(g_.rsp + frame_, [&](int row, const ymm &sums) {
            g_.vextractf128(q, sums, 1);
            g_.vmovups(of_row(numbers_.q, row), q);
            if (centered_) {
                g_.vmovups(of_row(numbers_.s, row), xmm_of(sums));
                g_.vmovups(p, of_row(numbers_.pivot, row));
            }
            finish({4, row - ROWS, p, xmm_of(sums), q, rest});
        });
    }

private:
    Xbyak::Address of_row(const Xbyak::Address &array, int row) {
        return g_.ptr[rows_.numbers(array) + (row - ROWS) * int(sizeof(float))];
    }

    kernel_generator &g_;
    row_loop &rows_;
    const reg next_;
    const std::array<ymm, 4> four_;
    sums_of_eight eight_;
    const int frame_;
    const bool centered_;
    const arrays numbers_;
};

} // namespace jitnorm::impl::jit
