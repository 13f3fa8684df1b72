// SPDX-License-Identifier: Apache-2.0
// row_stepper: emits the loop over the rows of a batch, with one or several rows in a pass. It keeps the addresses of
// the rows in each tensor, and of the numbers of the rows in arrays that have one number for each row.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// The rows of a batch in one tensor. `at` has a register for each row of a pass; before the loop the first of them
// points to the batch's first row. `stride` is the bytes from row to row: a register or, if no register is free, the
// argument in memory.
template <typename Stride>
struct stepped_rows {
    std::vector<Xbyak::Reg64> at;
    Stride stride;
};

template <typename T, typename Stride = Xbyak::Address> // T: the type of the numbers in arrays
class row_stepper {
public:
    // `index` holds the index of the pass's first row; `number` is the address of the number of rows.
    row_stepper(Xbyak::CodeGenerator &g, const Xbyak::Reg64 &index, const Xbyak::Reg64 &scratch,
                const Xbyak::Address &number, std::vector<stepped_rows<Stride>> tensors)
        : g_(g), ops_(g), index_(index), scratch_(scratch), number_(number), tensors_(std::move(tensors)) {}

    void begin() { g_.xor_(index_.cvt32(), index_.cvt32()); }

    // Emits passes of `rows` rows, each with body(), as long as so many rows are left.
    template <typename Body>
    void step(int rows, Body &&body) {
        while_left(rows, [&] {
            for (int r = 1; r < rows; ++r) point_behind(size_t(r - 1), size_t(r));
            body();
            point_behind(size_t(rows - 1), 0);
            g_.add(index_, rows);
        });
    }

    // The same for bodies that move on row by row themselves, by move_on().
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

    // Broadcasts the numbers of to.size() rows, each to all lanes of its register. `array` is where the array's address
    // is.
    template <typename Vector>
    void broadcast(const Xbyak::Address &array, std::span<const Vector> to) {
        const Xbyak::RegExp first = numbers(array);
        for (size_t r = 0; r < to.size(); ++r) ops_.broadcast(to[r], g_.ptr[first + r * sizeof(T)]);
    }

    // The address of the number of the pass's first row; the numbers of the pass's other rows follow it. `array` is
    // where the array's address is; it is loaded into the scratch register.
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
