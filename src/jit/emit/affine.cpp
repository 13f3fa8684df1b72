// SPDX-License-Identifier: Apache-2.0
#include "affine.hpp"

namespace jitnorm::impl::jit {

void unit_products::keep(const vmm &one) {
    g_.ops.load(one, g_.vector_of(1));
    one_ = one;
}

void unit_products::subtract_from(const vmm &x, const vmm &from) {
    one_ ? g_.ops.negated_fma132(x, from, *one_) : g_.ops.negated_fma132(x, from, g_.vector_of(1));
}

void unit_products::subtract(const vmm &from, const vmm &x) {
    one_ ? g_.ops.negated_fma231(from, x, *one_) : g_.ops.negated_fma231(from, x, g_.vector_of(1));
}

void centered_load::emit(const vmm &difference, const vmm &center, const reg &row, const place &p) {
    if (!centered_) return io_.load(difference, row, p, type_);
    io_.use(difference, row, p, type_,
            [&](const place &, const Xbyak::Operand &x) { subtract(difference, center, x); });
}

void centered_load::emit_all(std::span<const vmm> differences, const vmm &center, const reg &row, places vectors) {
    if (!centered_) return io_.load_all(differences, row, vectors, type_);
    io_.use_all(differences, row, vectors, type_,
                [&](const place &p, const Xbyak::Operand &x) { subtract(differences[size_t(p.slot)], center, x); });
}

// x is memory, or the register `difference` if elements had to be converted. Products need the latter.
void centered_load::subtract(const vmm &difference, const vmm &center, const Xbyak::Operand &x) {
    products_ != nullptr ? products_->subtract_from(difference, center) : g_.ops.sub(difference, center, x);
}

void scale_shift::load(places vectors, const reg &scale, const reg &shift) {
    if (!scale_.empty()) {
        io_.load_all(scale_, scale, vectors, type_);
        for (const place &p : vectors) to_factors(g_, flags_, scale_[size_t(p.slot)]);
    }
    if (!shift_.empty()) io_.load_all(shift_, shift, vectors, type_);
}

void scale_shift::apply(const vmm &x, const place &p) {
    const auto slot = size_t(p.slot);
    if (!scale_.empty() && !shift_.empty())
        g_.ops.fma213(x, scale_[slot], shift_[slot]);
    else if (!scale_.empty())
        g_.ops.mul(x, x, scale_[slot]);
    else if (!shift_.empty())
        g_.ops.add(x, x, shift_[slot]);
}

} // namespace jitnorm::impl::jit
