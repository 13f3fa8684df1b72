// SPDX-License-Identifier: Apache-2.0
// unit_products gives the bits of subtractions, signs of zeros included, with the number one in memory and in a
// register.
#include "jit/emit/unit_products.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

template <typename On>
class unit_products : public emitter<On> {};
TYPED_TEST_SUITE(unit_products, every_isa_and_type);

TYPED_TEST(unit_products, differences) {
    using T = typename TestFixture::compute_type;
    using vector = typename TestFixture::vmm;
    constexpr int BYTES = impl::jit::vector_traits<TestFixture::I>::bytes;
    constexpr size_t N = TestFixture::WIDTH;
    const std::vector<T> numbers = results_to_narrow<T>();
    for (bool kept : {false, true}) {
        const small_function subtract([=](Xbyak::CodeGenerator &g) {
            impl::jit::unit_products<TestFixture::I, T> products(g);
            if (kept) products.keep(vector(5));
            for (int i = 0; i < 4; ++i) g.vmovups(vector(i), g.ptr[g.rdi + i % 2 * BYTES]);
            products.subtract_from(vector(0), vector(1));
            products.subtract(vector(2), vector(3));
            g.vmovups(g.ptr[g.rsi], vector(0));
            g.vmovups(g.ptr[g.rsi + BYTES], vector(2));
            g.vzeroupper();
            g.ret();
            products.emit_rest();
        });
        for (size_t first = 0; first + 2 * N <= numbers.size(); first += N) {
            const T *x = &numbers[first], *y = x + N;
            T got[2 * N];
            subtract(x, got, 0);
            for (size_t i = 0; i < N; ++i) {
                ASSERT_TRUE(same(got[i], T(y[i] - x[i]))) << y[i] << " - " << x[i];
                ASSERT_TRUE(same(got[N + i], T(x[i] - y[i]))) << x[i] << " - " << y[i];
            }
        }
        const T zeros[][2] = {{0, 0}, {0, -T(0)}, {-T(0), 0}, {-T(0), -T(0)}, {1, 1}, {-1, -1}};
        for (const auto &[a, b] : zeros) {
            T in[2 * N], got[2 * N];
            for (size_t i = 0; i < 2 * N; ++i) in[i] = i < N ? a : b;
            subtract(in, got, 0);
            EXPECT_TRUE(same(got[0], b - a)) << b << " - " << a;
            EXPECT_TRUE(same(got[N], a - b)) << a << " - " << b;
        }
    }
}

} // namespace
} // namespace jitnorm::tests
