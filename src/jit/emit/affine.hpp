// SPDX-License-Identifier: Apache-2.0
// affine: emits multiplication by scale and addition of shift.
#pragma once

#include <utility>
#include <vector>

#include "element_io.hpp"

namespace jitnorm::impl::jit {

// What rows are multiplied by follows from the elements of scale and from these flags, problem::affine_flags()
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
            for (const place &p : vectors) to_factors(g_, conf_.affine_flags, scale_[p.slot]);
        }
        if (conf_.shift) io_.load_all(shift_, shift, vectors, conf_.scale_shift);
    }

    void apply(const vmm &x, const place &p) {
        if (conf_.scale && conf_.shift)
            g_.ops.fma213(x, scale_[p.slot], shift_[p.slot]);
        else if (conf_.scale)
            g_.ops.mul(x, x, scale_[p.slot]);
        else if (conf_.shift)
            g_.ops.add(x, x, shift_[p.slot]);
    }

private:
    kernel_generator &g_;
    element_io &io_;
    const normalize_conf &conf_;
    std::vector<vmm> scale_, shift_;
};

} // namespace jitnorm::impl::jit
