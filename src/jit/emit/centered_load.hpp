// SPDX-License-Identifier: Apache-2.0
// centered_load: how far a row's elements are from its mean or pivot. The difference is center - x, so that elements of
// the compute type are subtracted straight from memory; what is done with it turns the sign for nothing. Those of types
// that are converted on the pipes of additions may be subtracted by products.
#pragma once

#include "element_io.hpp"
#include "unit_products.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class centered_load {
    using vmm = typename vector_traits<I>::vmm;

public:
    // For rows of elements of `type`; not `centered`: x itself.
    centered_load(Xbyak::CodeGenerator &g, element_io<I, T> &io, jitnorm_data_type_t type, bool centered,
                  unit_products<I, T> *products = nullptr)
        : ops_(g), io_(io), type_(type), centered_(centered), products_(widens_like_adding(type) ? products : nullptr) {
    }

    // The same for vectors and the registers of their slots.
    void emit_all(std::span<const vmm> differences, const vmm &center, const Xbyak::Reg64 &row, places vectors) {
        if (!centered_) return io_.load_all(differences, row, vectors, type_);
        io_.use_all(differences, row, vectors, type_,
                    [&](const place &p, const Xbyak::Operand &x) { subtract(differences[size_t(p.slot)], center, x); });
    }

    // Absent elements are anything.
    void emit(const vmm &difference, const vmm &center, const Xbyak::Reg64 &row, const place &p) {
        if (!centered_) return io_.load(difference, row, p, type_);
        io_.use(difference, row, p, type_, [&](const Xbyak::Operand &x) { subtract(difference, center, x); });
    }

private:
    // x is memory or the register of the difference, where elements that were widened are.
    void subtract(const vmm &difference, const vmm &center, const Xbyak::Operand &x) {
        products_ ? products_->subtract_from(difference, center) : ops_.sub(difference, center, x);
    }

    vector_ops<T> ops_;
    element_io<I, T> &io_;
    jitnorm_data_type_t type_;
    bool centered_;
    unit_products<I, T> *products_; // none: plain differences
};

} // namespace jitnorm::impl::jit
