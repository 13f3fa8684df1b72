// SPDX-License-Identifier: Apache-2.0
// crossing: pairs of vectors whose inner quarters have changed places: of 16 floats the first vector holds 0 to 3 and 8
// to 11, the second 4 to 7 and 12 to 15. AVX2 interleaves and packs within 128 bits, so that bf16 is widened to such a
// pair, and packed from one, without a further shuffle.
#pragma once

#include "row_walker.hpp"

namespace jitnorm::impl::jit {

// Whether elements of `type` are loaded for less in crossed pairs.
template <isa I, typename T>
constexpr bool crosses_for_less(jitnorm_data_type_t type) {
    return I == isa::avx2 && std::is_same_v<T, float> && type == jitnorm_bf16;
}

class crossing {
    using ymm = Xbyak::Ymm;

public:
    explicit crossing(Xbyak::CodeGenerator &g) : g_(g) {}

    // A vector in order, the first of its pair or the second, to the crossed pair, with zeros for its neighbour's
    // elements.
    void spread(const ymm &first, const ymm &second, bool from_second) {
        constexpr int LOW = 0, HIGH = 1, ZEROS = 8;
        const auto take = [&](const ymm &to, int half) {
            const ymm from = from_second ? second : first;
            g_.vperm2f128(to, from, from, uint8_t(from_second ? half << 4 | ZEROS : ZEROS << 4 | half));
        };
        take(from_second ? first : second, from_second ? LOW : HIGH);
        take(from_second ? second : first, from_second ? HIGH : LOW);
    }

    // A crossed pair to one in order, the second of which goes to `second_to`.
    void put_in_order(const ymm &first, const ymm &second, const ymm &second_to) {
        g_.vperm2f128(second_to, first, second, 0x31);
        g_.vperm2f128(first, first, second, 0x20);
    }

private:
    Xbyak::CodeGenerator &g_;
};

} // namespace jitnorm::impl::jit
