// SPDX-License-Identifier: Apache-2.0
// plus_one: the one that is added to weights which are stored minus one, where a kernel has such (docs/arithmetic.md,
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

    // To each element of a register.
    void add_to(const vmm &v) {
        if (wanted_) ops_.add(v, v, g_.ptr[constants_.at(ones<I, T>())]);
    }

    // Behind the kernel's last instruction.
    void emit_rest() { constants_.emit(); }

private:
    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    bool wanted_;
    constant_pool constants_;
};

} // namespace jitnorm::impl::jit
