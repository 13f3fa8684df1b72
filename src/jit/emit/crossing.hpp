// SPDX-License-Identifier: Apache-2.0
// crossing: crossed pairs of vectors. Of 16 consecutive floats, the first vector of a crossed pair holds 0 to 3 and 8
// to 11, the second 4 to 7 and 12 to 15. AVX2 interleaves and packs each half of 128 bits by itself, so that a shuffle
// is saved when bf16 is widened to a crossed pair, or packed from one.
#pragma once

#include "row_walker.hpp"

namespace jitnorm::impl::jit {

// Whether loading elements of `type` as crossed pairs takes fewer instructions.
template <isa I, typename T>
constexpr bool crosses_for_less(jitnorm_data_type_t type) {
    return I == isa::avx2 && std::is_same_v<T, float> && type == jitnorm_bf16;
}

class crossing {
    using ymm = Xbyak::Ymm;

public:
    explicit crossing(Xbyak::CodeGenerator &g) : g_(g) {}

    // Makes a crossed pair from one vector in order, which is the first or the second of its pair. The other vector's
    // elements become zeros.
    void spread(const ymm &first, const ymm &second, bool from_second) {
        constexpr int LOW = 0, HIGH = 1, ZEROS = 8;
        const auto take = [&](const ymm &to, int half) {
            const ymm from = from_second ? second : first;
            g_.vperm2f128(to, from, from, uint8_t(from_second ? half << 4 | ZEROS : ZEROS << 4 | half));
        };
        take(from_second ? first : second, from_second ? LOW : HIGH);
        take(from_second ? second : first, from_second ? HIGH : LOW);
    }

    // Makes a pair in order from a crossed pair; its second vector goes to `second_to`.
    void put_in_order(const ymm &first, const ymm &second, const ymm &second_to) {
        g_.vperm2f128(second_to, first, second, 0x31);
        g_.vperm2f128(first, first, second, 0x20);
    }

private:
    Xbyak::CodeGenerator &g_;
};

} // namespace jitnorm::impl::jit
