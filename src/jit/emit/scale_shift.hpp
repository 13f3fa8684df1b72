// SPDX-License-Identifier: Apache-2.0
// scale_shift: emits x * scale + shift, x * scale, x + shift, or nothing. Each slot has a register for scale and one
// for shift.
#pragma once

#include <span>
#include <vector>

#include "element_io.hpp"
#include "plus_one.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class scale_shift {
    using vmm = typename vector_traits<I>::vmm;
    using registers = std::vector<vmm>; // one for each slot; empty if there is no scale, or no shift

public:
    scale_shift(Xbyak::CodeGenerator &g, element_io<I, T> &io, plus_one<I, T> &one, jitnorm_data_type_t type,
                registers scale, registers shift)
        : ops_(g), io_(io), one_(one), type_(type), scale_(std::move(scale)), shift_(std::move(shift)) {}

    void load(places vectors, const Xbyak::Reg64 &scale, const Xbyak::Reg64 &shift) {
        if (!scale_.empty()) {
            io_.load_all(scale_, scale, vectors, type_);
            for (const place &p : vectors) one_.add_to(scale_[size_t(p.slot)]);
        }
        if (!shift_.empty()) io_.load_all(shift_, shift, vectors, type_);
    }

    void apply(const vmm &x, const place &p) {
        if (!scale_.empty() && !shift_.empty())
            ops_.fma213(x, scale_[size_t(p.slot)], shift_[size_t(p.slot)]);
        else if (!scale_.empty())
            ops_.mul(x, x, scale_[size_t(p.slot)]);
        else if (!shift_.empty())
            ops_.add(x, x, shift_[size_t(p.slot)]);
    }

private:
    vector_ops<T> ops_;
    element_io<I, T> &io_;
    plus_one<I, T> &one_; // is added to the scale
    jitnorm_data_type_t type_;
    registers scale_, shift_;
};

} // namespace jitnorm::impl::jit
