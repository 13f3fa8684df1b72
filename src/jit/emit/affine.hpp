// SPDX-License-Identifier: Apache-2.0
// affine: emits differences of a row's elements and its mean or pivot, and multiplication by scale and addition of
// shift.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "element_io.hpp"

namespace jitnorm::impl::jit {

// Whether the conversion of elements of `type` to floats uses the pipes of additions.
constexpr bool widens_like_adding(jitnorm_data_type_t type) {
    return type == jitnorm_f16 || type == jitnorm_s8 || type == jitnorm_u8;
}

// Emits a - b as a - b * 1, by one fused instruction. It is rounded once, so the bits are the same. The reason is
// speed: processors have separate pipes for multiplications, while additions share their pipes with minimum, maximum
// and the conversions from and to f16 and integers.
class unit_products {
public:
    explicit unit_products(kernel_generator &g) : g_(g) {}

    // From now on the number one is kept in this register, which takes less time than loading it for each difference.
    void keep(const vmm &one) {
        g_.ops.load(one, g_.vector_of(1));
        one_ = one;
    }

    // x = from - x
    void subtract_from(const vmm &x, const vmm &from) {
        one_ ? g_.ops.negated_fma132(x, from, *one_) : g_.ops.negated_fma132(x, from, g_.vector_of(1));
    }

    // from = from - x
    void subtract(const vmm &from, const vmm &x) {
        one_ ? g_.ops.negated_fma231(from, x, *one_) : g_.ops.negated_fma231(from, x, g_.vector_of(1));
    }

private:
    kernel_generator &g_;
    std::optional<vmm> one_;
};

// The difference is center - x, so that an x of the compute type can be an operand in memory; the instructions that use
// it change the sign without extra work. Elements whose conversion uses the pipes of additions may be subtracted by
// products.
class centered_load {
public:
    // For rows of elements of `type`. If it is not `centered`, the result is x itself. `products` may be null.
    centered_load(kernel_generator &g, element_io &io, jitnorm_data_type_t type, bool centered,
                  unit_products *products = nullptr)
        : g_(g), io_(io), type_(type), centered_(centered), products_(widens_like_adding(type) ? products : nullptr) {}

    // Absent elements of an incomplete vector have undefined differences.
    void emit(const vmm &difference, const vmm &center, const reg &row, const place &p) {
        if (!centered_) return io_.load(difference, row, p, type_);
        io_.use(difference, row, p, type_,
                [&](const place &, const Xbyak::Operand &x) { subtract(difference, center, x); });
    }

    // The same for several vectors, with the register of each vector's slot.
    void emit_all(std::span<const vmm> differences, const vmm &center, const reg &row, places vectors) {
        if (!centered_) return io_.load_all(differences, row, vectors, type_);
        io_.use_all(differences, row, vectors, type_,
                    [&](const place &p, const Xbyak::Operand &x) { subtract(differences[size_t(p.slot)], center, x); });
    }

private:
    // x is memory, or the register `difference` if elements had to be converted. Products need the latter.
    void subtract(const vmm &difference, const vmm &center, const Xbyak::Operand &x) {
        products_ != nullptr ? products_->subtract_from(difference, center) : g_.ops.sub(difference, center, x);
    }

    kernel_generator &g_;
    element_io &io_;
    jitnorm_data_type_t type_;
    bool centered_;
    unit_products *products_; // null: differences are plain subtractions
};

// The factors of rows follow from the elements of scale by these flags, problem::affine_flags()
// (docs/arithmetic.md, "Normalization").
constexpr bool multiplies_as_stored(unsigned flags) { return (flags & jitnorm_scale_plus_one) == 0; }
inline void to_factors(kernel_generator &g, unsigned flags, const vmm &scale) {
    if (!multiplies_as_stored(flags)) g.ops.add(scale, scale, g.vector_of(1));
}

// x * scale + shift, x * scale, x + shift, or nothing. Each slot has a register for scale and one for shift.
class scale_shift {
public:
    // Without registers for scale, or for shift, there is none. `flags`: problem::affine_flags().
    scale_shift(kernel_generator &g, element_io &io, jitnorm_data_type_t type, unsigned flags, std::vector<vmm> scale,
                std::vector<vmm> shift)
        : g_(g), io_(io), type_(type), flags_(flags), scale_(std::move(scale)), shift_(std::move(shift)) {}

    void load(places vectors, const reg &scale, const reg &shift) {
        if (!scale_.empty()) {
            io_.load_all(scale_, scale, vectors, type_);
            for (const place &p : vectors) to_factors(g_, flags_, scale_[size_t(p.slot)]);
        }
        if (!shift_.empty()) io_.load_all(shift_, shift, vectors, type_);
    }

    void apply(const vmm &x, const place &p) {
        const auto slot = size_t(p.slot);
        if (!scale_.empty() && !shift_.empty())
            g_.ops.fma213(x, scale_[slot], shift_[slot]);
        else if (!scale_.empty())
            g_.ops.mul(x, x, scale_[slot]);
        else if (!shift_.empty())
            g_.ops.add(x, x, shift_[slot]);
    }

private:
    kernel_generator &g_;
    element_io &io_;
    jitnorm_data_type_t type_;
    unsigned flags_;
    std::vector<vmm> scale_, shift_;
};

} // namespace jitnorm::impl::jit
