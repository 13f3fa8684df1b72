// SPDX-License-Identifier: Apache-2.0
// row_stepper: the loop over the rows of a batch, one or several in a pass: where they lie in each tensor, and where
// the numbers of a row are in arrays that hold one for each.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// Where a batch's rows lie in a tensor: a register for each row of a pass, of which the first one points to the batch's
// first row, and how many bytes a row is behind another: a register or, where there is none to spare, the argument.
template <typename Stride>
struct stepped_rows {
    std::vector<Xbyak::Reg64> at;
    Stride stride;
};

template <typename T, typename Stride = Xbyak::Address> // T: of the numbers in arrays
class row_stepper {
public:
    // `index` is that of the pass's first row, `number` the place of the number of rows.
    row_stepper(Xbyak::CodeGenerator &g, const Xbyak::Reg64 &index, const Xbyak::Reg64 &scratch,
                const Xbyak::Address &number, std::vector<stepped_rows<Stride>> tensors)
        : g_(g), ops_(g), index_(index), scratch_(scratch), number_(number), tensors_(std::move(tensors)) {}

    void begin() { g_.xor_(index_.cvt32(), index_.cvt32()); }

    // Passes of so many rows, each with body(), as long as there are so many.
    template <typename Body>
    void step(int rows, Body &&body) {
        while_left(rows, [&] {
            for (int r = 1; r < rows; ++r) point_behind(size_t(r - 1), size_t(r));
            body();
            point_behind(size_t(rows - 1), 0);
            g_.add(index_, rows);
        });
    }

    // The same for bodies that move on by themselves, row by row.
    template <typename Body>
    void while_left(int rows, Body &&body) {
        Xbyak::Label next, check;
        g_.jmp(check, Xbyak::CodeGenerator::T_NEAR);
        g_.L(next);
        body();
        g_.L(check);
        if (rows == 1) {
            g_.cmp(index_, number_);
            g_.jb(next, Xbyak::CodeGenerator::T_NEAR);
        } else {
            g_.lea(scratch_, g_.ptr[index_ + rows]);
            g_.cmp(scratch_, number_);
            g_.jbe(next, Xbyak::CodeGenerator::T_NEAR);
        }
    }
    void move_on() {
        point_behind(0, 0);
        g_.inc(index_);
    }

    // The numbers of as many rows, each to all lanes of its register.
    template <typename Vector>
    void broadcast(const Xbyak::Address &array, std::span<const Vector> to) {
        const Xbyak::RegExp first = numbers(array);
        for (size_t r = 0; r < to.size(); ++r) ops_.broadcast(to[r], g_.ptr[first + r * sizeof(T)]);
    }

    // The address of the first row's number in the array at the address in `array`, by way of the scratch register. The
    // numbers of the pass's other rows follow.
    Xbyak::RegExp numbers(const Xbyak::Address &array) {
        g_.mov(scratch_, array);
        return numbers(scratch_);
    }
    Xbyak::RegExp numbers(const Xbyak::Reg64 &array) const { return array + index_ * int(sizeof(T)); }

private:
    void point_behind(size_t last, size_t next) {
        for (const stepped_rows<Stride> &rows : tensors_) {
            if (next != last) g_.mov(rows.at[next], rows.at[last]);
            g_.add(rows.at[next], rows.stride);
        }
    }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    Xbyak::Reg64 index_, scratch_;
    Xbyak::Address number_;
    std::vector<stepped_rows<Stride>> tensors_;
};

} // namespace jitnorm::impl::jit
