// SPDX-License-Identifier: Apache-2.0
// centered_load: emits the differences of a row's elements and its mean or pivot. The difference is center - x, so that
// an x of the compute type can be an operand in memory; the instructions that use it change the sign without extra
// work. Elements whose conversion uses the pipes of additions may be subtracted by products (unit_products.hpp).
#pragma once

#include "element_io.hpp"
#include "unit_products.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class centered_load {
    using vmm = typename vector_traits<I>::vmm;

public:
    // For rows of elements of `type`. If it is not `centered`, the result is x itself. `products` may be null.
    centered_load(Xbyak::CodeGenerator &g, element_io<I, T> &io, jitnorm_data_type_t type, bool centered,
                  unit_products<I, T> *products = nullptr)
        : ops_(g), io_(io), type_(type), centered_(centered), products_(widens_like_adding(type) ? products : nullptr) {
    }

    // The same as emit() for several vectors, with the register of each vector's slot.
    void emit_all(std::span<const vmm> differences, const vmm &center, const Xbyak::Reg64 &row, places vectors) {
        if (!centered_) return io_.load_all(differences, row, vectors, type_);
        io_.use_all(differences, row, vectors, type_,
                    [&](const place &p, const Xbyak::Operand &x) { subtract(differences[size_t(p.slot)], center, x); });
    }

    // Absent elements of an incomplete vector have undefined differences.
    void emit(const vmm &difference, const vmm &center, const Xbyak::Reg64 &row, const place &p) {
        if (!centered_) return io_.load(difference, row, p, type_);
        io_.use(difference, row, p, type_, [&](const Xbyak::Operand &x) { subtract(difference, center, x); });
    }

private:
    // x is memory, or the register `difference` if elements had to be converted. Products need the latter.
    void subtract(const vmm &difference, const vmm &center, const Xbyak::Operand &x) {
        products_ ? products_->subtract_from(difference, center) : ops_.sub(difference, center, x);
    }

    vector_ops<T> ops_;
    element_io<I, T> &io_;
    jitnorm_data_type_t type_;
    bool centered_;
    unit_products<I, T> *products_; // null: differences are plain subtractions
};

} // namespace jitnorm::impl::jit
