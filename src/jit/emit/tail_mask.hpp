// SPDX-License-Identifier: Apache-2.0
// tail_mask: loads and stores of the incomplete vector at a row's end.
#pragma once

#include <vector>

#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

// Loads and stores the last, incomplete vector of a row of elements of the compute type, and touches no memory after
// it. Absent elements become zero. With AVX2 the mask is a vector in which the bits of present elements are ones; it is
// loaded from a table after the code. With AVX-512 it is a mask register, and the vector is not used.
class tail_mask {
public:
    tail_mask(kernel_generator &g, const vmm &mask) : g_(g), mask_(mask) {}

    // Sets the mask for rows of `count` elements. Changes the registers `scratch` and `other`.
    void prepare(const reg &count, const reg &scratch, const reg &other) {
        g_.mov(scratch, count);
        g_.and_(scratch, g_.kind.width() - 1);
        if (g_.kind.is_avx512()) {
            g_.xor_(other.cvt32(), other.cvt32());
            g_.bts(other, scratch);
            g_.dec(other.cvt32());
            g_.kmovw(opmask_, other.cvt32());
        } else {
            std::vector<uint32_t> ones_then_zeros(16);
            for (size_t i = 0; i < 8; ++i) ones_then_zeros[i] = ~0U;
            g_.neg(scratch);
            g_.lea(other, g_.ptr[g_.constant(ones_then_zeros)]);
            g_.vmovups(mask_, g_.ptr[other + scratch * g_.kind.element() + g_.kind.bytes()]);
        }
    }

    void load(const vmm &v, const Xbyak::RegExp &at) {
        g_.kind.is_avx512() ? g_.ops.load(v | opmask_ | g_.T_z, g_.ptr[at]) : g_.ops.load_masked(v, mask_, g_.ptr[at]);
    }

    void store(const Xbyak::RegExp &at, const vmm &v) {
        g_.kind.is_avx512() ? g_.ops.store(g_.ptr[at] | opmask_, v) : g_.ops.store_masked(g_.ptr[at], mask_, v);
    }

    void zero_absent(const vmm &v) {
        g_.kind.is_avx512() ? g_.ops.load(v | opmask_ | g_.T_z, v) : g_.ops.bit_and(v, v, mask_);
    }

    const Xbyak::Opmask &opmask() const { return opmask_; } // AVX-512 only
    const vmm &vector() const { return mask_; }             // AVX2 only

private:
    kernel_generator &g_;
    vmm mask_;
    Xbyak::Opmask opmask_{TAIL_MASK};
};

} // namespace jitnorm::impl::jit
