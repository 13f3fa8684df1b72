// SPDX-License-Identifier: Apache-2.0
// unit_products: emits a - b as a - b * 1, by one fused instruction. It is rounded once, so the bits are the same. The
// reason is speed: processors have separate pipes for multiplications, while additions share their pipes with minimum,
// maximum and the conversions from and to f16 and integers.
#pragma once

#include <optional>
#include <vector>

#include "constant_pool.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

// Whether the conversion of elements of `type` to floats uses the pipes of additions.
constexpr bool widens_like_adding(jitnorm_data_type_t type) {
    return type == jitnorm_f16 || type == jitnorm_s8 || type == jitnorm_u8;
}

// The bits of a vector that has the number one in each element, for a constant_pool.
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

    // From now on the number one is kept in this register, which takes less time than loading it for each difference.
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

    // Is called behind the kernel's last instruction.
    void emit_rest() { constants_.emit(); }

private:
    Xbyak::Address in_memory() { return g_.ptr[constants_.at(ones<I, T>())]; }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    constant_pool constants_;
    std::optional<vmm> one_;
};

} // namespace jitnorm::impl::jit
