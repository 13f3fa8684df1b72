// SPDX-License-Identifier: Apache-2.0
// narrowing: converts vectors of the compute type to elements of a narrower type, dense at the bottom of a register.
// docs/arithmetic.md, "Notation", defines the conversions. bf16 is rounded by integer instructions, or by AVX512_BF16
// if the processor has it. AVX512_BF16 takes denormal numbers for zeros, so a detour rounds vectors with denormal
// numbers by integer instructions. Two vectors that one instruction packs share this test. Pairs in unpack order
// (sums.hpp) are in plain order afterwards.
#pragma once

#include <array>
#include <optional>

#include "../kernel_generator.hpp"

namespace jitnorm::impl {
struct f8_layout;
}

namespace jitnorm::impl::jit {

class narrowing {
public:
    // Changes the registers `work`.
    narrowing(kernel_generator &g, const std::array<vmm, 2> &work, bool avx512_bf16 = has_avx512_bf16())
        : g_(g), work_(work), avx512_bf16_(avx512_bf16) {}

    // Converts the elements of v in place.
    void one(const vmm &v, jitnorm_data_type_t type);

    static bool is_f8(jitnorm_data_type_t type) { return type == jitnorm_f8_e5m2 || type == jitnorm_f8_e4m3; }

    // Whether two() takes fewer instructions than two conversions of one vector.
    static bool joins_two(const vector_kind &kind, jitnorm_data_type_t type);

    // Converts the elements of v, then of `next`, to v; changes `next`. The vectors may be a pair in unpack order.
    // They must be results of arithmetic, so that no NaN among them is a signaling one.
    void two(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order = false);

    // Converts the elements of four vectors of floats to bytes (s8, u8, f8), which are in v[0] afterwards; changes the
    // others. After rounding no number is further from zero than the largest one of `type`; for s8 and u8 none is a
    // NaN.
    void four_in_range(const std::array<vmm, 4> &v, jitnorm_data_type_t type);

    // Rounds the elements of v to those that the type has, as one() and the conversion back would.
    void round(const vmm &v, jitnorm_data_type_t type);
    // to = the elements of v as round_normalized() rounds them (convert.hpp); `to` may be v. Changes work register 0.
    void round_normalized(const vmm &to, const vmm &v, jitnorm_data_type_t type);

private:
    vmm floats(const vmm &v) const { return g_.elements(v, 4); }
    vmm shorts(const vmm &v) const { return g_.elements(v, 2); }
    void broadcast_bits(const vmm &v, uint32_t bits);
    Xbyak::Address every(uint32_t bits);

    void to_bytes(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order = false);
    void to_integers(const vmm &x);
    void to_integers_without_nan(const vmm &x);
    void pack_bytes(const vmm &v, const vmm &next, jitnorm_data_type_t type, bool in_unpack_order);
    void permute_doublewords(const vmm &v, std::initializer_list<uint32_t> of_ymm,
                             std::initializer_list<uint32_t> of_zmm);
    void to_f8(const vmm &v, const f8_layout &layout);
    void to_bf16(const vmm &v);
    void round_to_bf16(const vmm &v);
    void two_to_bf16(const vmm &v, const vmm &next);
    void round_two_to_bf16(const vmm &v, const vmm &next);
    void round_bf16_bits(const vmm &v);
    void two_to_bf16_words(const vmm &v, const vmm &next);

    kernel_generator &g_;
    std::array<vmm, 2> work_;
    bool avx512_bf16_;
    Xbyak::Opmask mask_{NARROWING_MASK}, mask_of_next_{SECOND_NARROWING_MASK};
};

} // namespace jitnorm::impl::jit
