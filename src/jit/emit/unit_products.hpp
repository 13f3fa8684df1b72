// SPDX-License-Identifier: Apache-2.0
// unit_products: differences as products with one that something is subtracted from. They are rounded once, and so have
// the same bits; but multiplications have pipes of their own, and additions share theirs with conversions to and from
// f16 and integers and with minimum and maximum.
#pragma once

#include <optional>
#include <vector>

#include "constant_pool.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// Whether elements of `type` keep the pipes of additions busy while they are loaded.
constexpr bool widens_like_adding(jitnorm_data_type_t type) {
    return type == jitnorm_f16 || type == jitnorm_s8 || type == jitnorm_u8;
}

// The number one in each element of a vector, for constants.
template <isa I, typename T>
std::vector<uint32_t> ones() {
    std::vector<uint32_t> words;
    while (words.size() * sizeof(uint32_t) < size_t(vector_traits<I>::bytes)) {
        if constexpr (std::is_same_v<T, double>) words.push_back(0);
        words.push_back(std::is_same_v<T, double> ? 0x3ff00000 : 0x3f800000);
    }
    return words;
}

template <isa I, typename T>
class unit_products {
    using vmm = typename vector_traits<I>::vmm;

public:
    explicit unit_products(Xbyak::CodeGenerator &g) : g_(g), ops_(g), constants_(g) {}

    // From here on the number is in a register, which is left to this object: that costs less than to load it each
    // time.
    void keep(const vmm &one) {
        ops_.load(one, in_memory());
        one_ = one;
    }

    // x = from - x
    void subtract_from(const vmm &x, const vmm &from) {
        one_ ? ops_.negated_fma132(x, from, *one_) : ops_.negated_fma132(x, from, in_memory());
    }

    // from = from - x
    void subtract(const vmm &from, const vmm &x) {
        one_ ? ops_.negated_fma231(from, x, *one_) : ops_.negated_fma231(from, x, in_memory());
    }

    // Behind the kernel's last instruction.
    void emit_rest() { constants_.emit(); }

private:
    Xbyak::Address in_memory() { return g_.ptr[constants_.at(ones<I, T>())]; }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    constant_pool constants_;
    std::optional<vmm> one_;
};

} // namespace jitnorm::impl::jit
