// SPDX-License-Identifier: Apache-2.0
// affine: emits differences of a row's elements and its mean or pivot, and multiplication by scale and addition of
// shift.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "element_io.hpp"

namespace jitnorm::impl::jit {

// The difference is center - x, so that an x of the compute type can be an operand in memory; the instructions that use
// it change the sign without extra work.
class centered_load {
public:
    // For rows of elements of `type`. If it is not `centered`, the result is x itself.
    centered_load(kernel_generator &g, element_io &io, jitnorm_data_type_t type, bool centered)
        : g_(g), io_(io), type_(type), centered_(centered) {}

    // Absent elements of an incomplete vector have undefined differences.
    void emit(const vmm &difference, const vmm &center, const reg &row, const place &p) {
        if (!centered_) return io_.load(difference, row, p, type_);
        io_.use(difference, row, p, type_,
                [&](const place &, const Xbyak::Operand &x) { g_.ops.sub(difference, center, x); });
    }

    // The same for several vectors, with the register of each vector's slot.
    void emit_all(std::span<const vmm> differences, const vmm &center, const reg &row, places vectors) {
        if (!centered_) return io_.load_all(differences, row, vectors, type_);
        io_.use_all(differences, row, vectors, type_, [&](const place &p, const Xbyak::Operand &x) {
            g_.ops.sub(differences[size_t(p.slot)], center, x);
        });
    }

private:
    kernel_generator &g_;
    element_io &io_;
    jitnorm_data_type_t type_;
    bool centered_;
};

// The factors of rows follow from the elements of scale by these flags, problem::affine_flags()
// (docs/arithmetic.md, "Normalization").
constexpr bool multiplies_as_stored(unsigned flags) { return (flags & jitnorm_scale_plus_one) == 0; }
inline void to_factors(kernel_generator &g, unsigned flags, const vmm &scale) {
    if (!multiplies_as_stored(flags)) g.ops.add(scale, scale, g.vector_of(1));
}

// x * scale + shift, x * scale, x + shift, or nothing, as the configuration says. Each slot has a register for scale
// and one for shift.
class scale_shift {
public:
    scale_shift(kernel_generator &g, element_io &io, const normalize_conf &conf, std::vector<vmm> scale,
                std::vector<vmm> shift)
        : g_(g), io_(io), conf_(conf), scale_(std::move(scale)), shift_(std::move(shift)) {}

    void load(places vectors, const reg &scale, const reg &shift) {
        if (conf_.scale) {
            io_.load_all(scale_, scale, vectors, conf_.scale_shift);
            for (const place &p : vectors) to_factors(g_, conf_.affine_flags, scale_[size_t(p.slot)]);
        }
        if (conf_.shift) io_.load_all(shift_, shift, vectors, conf_.scale_shift);
    }

    void apply(const vmm &x, const place &p) {
        const auto slot = size_t(p.slot);
        if (conf_.scale && conf_.shift)
            g_.ops.fma213(x, scale_[slot], shift_[slot]);
        else if (conf_.scale)
            g_.ops.mul(x, x, scale_[slot]);
        else if (conf_.shift)
            g_.ops.add(x, x, shift_[slot]);
    }

private:
    kernel_generator &g_;
    element_io &io_;
    const normalize_conf &conf_;
    std::vector<vmm> scale_, shift_;
};

} // namespace jitnorm::impl::jit
