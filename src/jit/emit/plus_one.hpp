// SPDX-License-Identifier: Apache-2.0
// plus_one: adds one to the elements of a scale tensor that holds weights minus one (docs/arithmetic.md,
// "Normalization").
#pragma once

#include "unit_products.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class plus_one {
    using vmm = typename vector_traits<I>::vmm;

public:
    plus_one(Xbyak::CodeGenerator &g, bool wanted) : g_(g), ops_(g), wanted_(wanted), constants_(g) {}

    bool is_wanted() const { return wanted_; }

    // Adds one to each element of a register, if the kernel wants it.
    void add_to(const vmm &v) {
        if (wanted_) ops_.add(v, v, g_.ptr[constants_.at(ones<I, T>())]);
    }

    // Is called behind the kernel's last instruction.
    void emit_rest() { constants_.emit(); }

private:
    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    bool wanted_;
    constant_pool constants_;
};

} // namespace jitnorm::impl::jit
