// SPDX-License-Identifier: Apache-2.0
// narrowing gives the bits of the definition (arithmetic/convert.hpp) for numbers of every kind, in vectors that hold
// different kinds: one by one, two joined, two joined and crossed, with AVX512_BF16 and without.
#include "jit/emit/narrowing.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

template <typename On>
class narrowing : public emitter<On> {
protected:
    using T = typename On::compute_type;
    using emitted = impl::jit::narrowing<On::value, T>;
    using typename emitter<On>::vmm;
    static constexpr int BYTES = impl::jit::vector_traits<On::value>::bytes;

    enum class pair { in_order, crossed };

    // `vectors` of them, one or two, from [rdi] to [rsi].
    static auto code_for(jitnorm_data_type_t type, int vectors, bool avx512_bf16, pair order) {
        return small_function([=](Xbyak::CodeGenerator &g) {
            emitted narrow(g, {vmm(2), vmm(3)}, avx512_bf16);
            for (int i = 0; i < vectors; ++i) g.vmovups(vmm(i), g.ptr[g.rdi + i * BYTES]);
            if (order == pair::crossed) cross(g);
            vectors == 1 ? narrow.one(vmm(0), type) : narrow.two(vmm(0), vmm(1), type, order == pair::crossed);
            g.vmovups(g.ptr[g.rsi], vmm(0));
            g.vzeroupper();
            g.ret();
            narrow.emit_rest();
        });
    }

    static void cross(Xbyak::CodeGenerator &g) {
        g.vperm2f128(g.ymm4, g.ymm0, g.ymm1, 0x31);
        g.vperm2f128(g.ymm0, g.ymm0, g.ymm1, 0x20);
        g.vmovaps(g.ymm1, g.ymm4);
    }

    template <typename Stored>
    static void expect_defined_bits(const std::vector<T> &numbers, jitnorm_data_type_t type, int vectors,
                                    bool avx512_bf16, pair order) {
        const auto narrow = code_for(type, vectors, avx512_bf16, order);
        const auto step = size_t(vectors * emitter<On>::WIDTH);
        alignas(64) Stored got[64 / sizeof(Stored)];
        for (size_t first = 0; first < numbers.size(); first += step) {
            narrow(&numbers[first], got, 0);
            for (size_t i = 0; i < step; ++i)
                ASSERT_TRUE(same(got[i], impl::narrow<Stored>(numbers[first + i])))
                    << numbers[first + i] << " (" << std::hexfloat << numbers[first + i] << ") in lane " << i
                    << (avx512_bf16 ? " with" : " without") << " AVX512_BF16, type " << type;
        }
    }

    static void expect_defined_bits(int vectors, bool avx512_bf16, pair order = pair::in_order) {
        const std::vector<T> numbers = vectors == 1 ? numbers_to_narrow<T>() : results_to_narrow<T>();
        for (auto type :
             {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
            if (vectors == 2 && !emitted::joins_two(type)) continue;
            impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
                expect_defined_bits<Stored>(numbers, type, vectors, avx512_bf16, order);
            });
        }
    }
};
TYPED_TEST_SUITE(narrowing, every_isa_and_type);

TYPED_TEST(narrowing, one_vector) { this->expect_defined_bits(1, false); }

TYPED_TEST(narrowing, one_vector_with_avx512_bf16) {
    if (!impl::jit::has_avx512_bf16()) GTEST_SKIP() << "this processor lacks AVX512_BF16";
    this->expect_defined_bits(1, true);
}

TYPED_TEST(narrowing, two_vectors) { this->expect_defined_bits(2, false); }

TYPED_TEST(narrowing, two_vectors_with_avx512_bf16) {
    if (!impl::jit::has_avx512_bf16()) GTEST_SKIP() << "this processor lacks AVX512_BF16";
    this->expect_defined_bits(2, true);
}

using narrowing_on_avx2 = narrowing<on<isa::avx2, float>>;
TEST_F(narrowing_on_avx2, two_crossed_vectors) { expect_defined_bits(2, false, pair::crossed); }

} // namespace
} // namespace jitnorm::tests
