// SPDX-License-Identifier: Apache-2.0
// pivots: emits code that finds the pivot of a row: the mean of its first four elements, or the first element of a
// shorter row (docs/arithmetic.md, "Statistics").
#pragma once

#include <array>

#include "element_io.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class pivots {
    using xmm = Xbyak::Xmm;
    using ymm = Xbyak::Ymm;
    using reg = Xbyak::Reg64;

public:
    // For rows of `count` elements of `type`. `quarter` is the number of the register that holds 0.25 from begin() on.
    pivots(Xbyak::CodeGenerator &g, element_io<I, T> &io, jitnorm_data_type_t type, const reg &count, int quarter)
        : g_(g), ops_(g), io_(io), type_(type), count_(count), quarter_(quarter) {}

    void begin(const reg &scratch) { ops_.broadcast_number(ymm(quarter_), T(0.25), scratch); }

    // Sets the lowest lane of v to the row's pivot: (x0 / 4 + x1 / 4) + (x2 / 4 + x3 / 4).
    void find(const xmm &v, const xmm &work, const reg &row) {
        Xbyak::Label few, found;
        g_.cmp(count_, 4);
        g_.jb(few);
        io_.load_four(v, row, type_);
        add_four(v, work);
        g_.jmp(found);
        g_.L(few);
        io_.load_first(v, row, type_);
        g_.L(found);
    }

    // Sets v[0] to the pivots of eight rows of floats, which have at least four elements each. `first` is the address
    // of the first row, and afterwards that of the row behind the eight.
    void find_eight(const std::array<ymm, 4> &v, const ymm &work, const reg &first, const reg &stride,
                    const reg &fifth) {
        g_.lea(fifth, g_.ptr[first + stride * 4]);
        for (const ymm &four : v) { // rows i and i + 4 are side by side
            io_.load_four(xmm(four.getIdx()), first, type_);
            insert_four(four, xmm(work.getIdx()), fifth);
            g_.vmulps(four, four, ymm(quarter_));
            g_.add(first, stride);
            g_.add(fifth, stride);
        }
        g_.mov(first, fifth);
        g_.vhaddps(v[0], v[0], v[1]); // the sums of elements 0 and 1 and of elements 2 and 3 of each row
        g_.vhaddps(v[2], v[2], v[3]);
        g_.vhaddps(v[0], v[0], v[2]);
    }

private:
    void add_four(const xmm &v, const xmm &work) {
        if constexpr (std::is_same_v<T, float>) {
            g_.vmulps(v, v, xmm(quarter_));
            g_.vhaddps(v, v, v); // elements 0 + 1, 2 + 3
            g_.vhaddps(v, v, v);
        } else {
            const ymm four(v.getIdx());
            g_.vmulpd(four, four, ymm(quarter_));
            g_.vhaddpd(four, four, four); // elements 0 + 1 below, 2 + 3 above
            g_.vextractf128(work, four, 1);
            g_.vaddsd(v, v, work);
        }
    }

    void insert_four(const ymm &beside, const xmm &work, const reg &row) {
        if (type_ == jitnorm_f32) return g_.vinsertf128(beside, beside, g_.ptr[row], 1);
        io_.load_four(work, row, type_);
        g_.vinsertf128(beside, beside, work, 1);
    }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    element_io<I, T> &io_;
    jitnorm_data_type_t type_;
    reg count_;
    int quarter_;
};

} // namespace jitnorm::impl::jit
