// SPDX-License-Identifier: Apache-2.0
// narrowing gives the bits of the definition (math/convert.hpp) for numbers of every kind, in vectors that hold
// different kinds: one by one, two joined, two joined in unpack order, with AVX512_BF16 and without.
#include "jit/emit/narrowing.hpp"

#include "math/dynamic_scale.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

class narrowing : public emitter {
protected:
    using emitted = impl::jit::narrowing;
    enum class pair { in_order, in_unpack_order };

    // `vectors` of them, one or two, from [rdi] to [rsi].
    small_function code_for(jitnorm_data_type_t type, int vectors, bool avx512_bf16, pair order) const {
        return function([=](kernel_generator &g) {
            emitted narrow(g, {g.vector(2), g.vector(3)}, avx512_bf16);
            const vmm first = g.vector(0), second = g.vector(1);
            g.vmovups(first, g.ptr[g.rdi]);
            if (vectors == 2) g.vmovups(second, g.ptr[g.rdi + g.kind.bytes()]);
            if (order == pair::in_unpack_order) put_in_unpack_order(g);
            vectors == 1 ? narrow.one(first, type) : narrow.two(first, second, type, order == pair::in_unpack_order);
            g.vmovups(g.ptr[g.rsi], first);
        });
    }

    static void put_in_unpack_order(kernel_generator &g) {
        g.vperm2f128(g.ymm4, g.ymm0, g.ymm1, 0x31);
        g.vperm2f128(g.ymm0, g.ymm0, g.ymm1, 0x20);
        g.vmovaps(g.ymm1, g.ymm4);
    }

    template <typename Stored, typename T>
    void expect_defined_bits(const small_function &narrow, const std::vector<T> &numbers, int vectors) const {
        const auto step = size_t(vectors * kind.width());
        alignas(64) Stored got[64];
        for (size_t first = 0; first < numbers.size(); first += step) {
            narrow(&numbers[first], got, 0);
            for (size_t i = 0; i < step; ++i)
                ASSERT_TRUE(same(got[i], impl::narrow<Stored>(numbers[first + i])))
                    << numbers[first + i] << " (" << std::hexfloat << numbers[first + i] << ") in lane " << i;
        }
    }

    void expect_defined_bits(int vectors, bool avx512_bf16, pair order = pair::in_order) const {
        with_number([&]<typename T>(T) {
            const std::vector<T> numbers = vectors == 1 ? numbers_to_narrow<T>() : results_to_narrow<T>();
            for (auto type :
                 {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
                if (vectors == 2 && !emitted::joins_two(kind, type)) continue;
                SCOPED_TRACE(testing::Message() << "type " << type << ", AVX512_BF16 " << avx512_bf16);
                const small_function narrow = code_for(type, vectors, avx512_bf16, order);
                impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
                    expect_defined_bits<Stored>(narrow, numbers, vectors);
                });
            }
        });
    }
};

TEST_P(narrowing, one_vector) { expect_defined_bits(1, false); }

TEST_P(narrowing, one_vector_with_avx512_bf16) {
    if (!impl::jit::has_avx512_bf16()) GTEST_SKIP() << "this processor lacks AVX512_BF16";
    expect_defined_bits(1, true);
}

// No number is larger than the largest one of the type, but for the rounding of a product. For f8 a NaN may be among
// them.
TEST_P(narrowing, four_vectors_in_range) {
    if (kind.is_f64()) GTEST_SKIP() << "only floats are quantized by scales that are found";
    for (const auto type : {jitnorm_s8, jitnorm_u8, jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        SCOPED_TRACE(type);
        const float largest = impl::layer_norm::largest_number(type), beyond = std::nextafter(largest, 2 * largest);
        std::vector<float> numbers = {largest, -largest, beyond, -beyond, 0.0F, -0.0F};
        for (const float x : results_to_narrow<float>())
            if (std::abs(x) <= beyond || (std::isnan(x) && impl::is_f8(type))) numbers.push_back(x);
        numbers.resize((numbers.size() + 63) / 64 * 64);
        const small_function narrow = function([=](kernel_generator &g) {
            const std::array<vmm, 4> four = {g.vector(0), g.vector(1), g.vector(4), g.vector(5)};
            for (size_t i = 0; i < four.size(); ++i) g.vmovups(four[i], g.ptr[g.rdi + int(i) * g.kind.bytes()]);
            emitted(g, {g.vector(2), g.vector(3)}).four_in_range(four, type);
            g.vmovups(g.ptr[g.rsi], four[0]);
        });
        impl::visit_data_type(
            type, [&]<typename Stored>(impl::stored_as<Stored>) { expect_defined_bits<Stored>(narrow, numbers, 4); });
    }
}

TEST_P(narrowing, two_vectors) { expect_defined_bits(2, false); }

TEST_P(narrowing, two_vectors_with_avx512_bf16) {
    if (!impl::jit::has_avx512_bf16()) GTEST_SKIP() << "this processor lacks AVX512_BF16";
    expect_defined_bits(2, true);
}

TEST_P(narrowing, two_vectors_in_unpack_order) {
    if (kind.is_avx512() || kind.is_f64()) GTEST_SKIP() << "there is none";
    expect_defined_bits(2, false, pair::in_unpack_order);
}

JITNORM_EVERY_KIND(narrowing);

} // namespace
} // namespace jitnorm::tests
