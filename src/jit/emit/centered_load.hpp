// SPDX-License-Identifier: Apache-2.0
// centered_load: how far a row's elements are from its mean or pivot. The difference is center - x, so that elements of
// the compute type are subtracted straight from memory; what is done with it turns the sign for nothing.
#pragma once

#include "element_io.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class centered_load {
    using vmm = typename vector_traits<I>::vmm;

public:
    // For rows of elements of `type`; not `centered`: x itself.
    centered_load(Xbyak::CodeGenerator &g, element_io<I, T> &io, jitnorm_data_type_t type, bool centered)
        : ops_(g), io_(io), type_(type), centered_(centered) {}

    // The same for vectors and the registers of their slots.
    void emit_all(std::span<const vmm> differences, const vmm &center, const Xbyak::Reg64 &row, places vectors) {
        if (!centered_) return io_.load_all(differences, row, vectors, type_);
        io_.use_all(differences, row, vectors, type_,
                    [&](const place &p, const Xbyak::Operand &x) { ops_.sub(differences[size_t(p.slot)], center, x); });
    }

    // Absent elements are anything.
    void emit(const vmm &difference, const vmm &center, const Xbyak::Reg64 &row, const place &p) {
        if (!centered_) return io_.load(difference, row, p, type_);
        io_.use(difference, row, p, type_, [&](const Xbyak::Operand &x) { ops_.sub(difference, center, x); });
    }

private:
    vector_ops<T> ops_;
    element_io<I, T> &io_;
    jitnorm_data_type_t type_;
    bool centered_;
};

} // namespace jitnorm::impl::jit
