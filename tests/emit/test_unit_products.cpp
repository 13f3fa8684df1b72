// SPDX-License-Identifier: Apache-2.0
// unit_products gives the bits of subtractions, signs of zeros included, with the number one in memory and in a
// register.
#include "jit/emit/affine.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

class unit_products : public emitter {
protected:
    // y - x and x - y of one vector each, from rdi to rsi.
    small_function differences(bool kept) const {
        return function([kept](kernel_generator &g) {
            impl::jit::unit_products products(g);
            if (kept) products.keep(g.vector(5));
            for (int i = 0; i < 4; ++i) g.vmovups(g.vector(i), g.ptr[g.rdi + i % 2 * g.kind.bytes()]);
            products.subtract_from(g.vector(0), g.vector(1));
            products.subtract(g.vector(2), g.vector(3));
            g.vmovups(g.ptr[g.rsi], g.vector(0));
            g.vmovups(g.ptr[g.rsi + g.kind.bytes()], g.vector(2));
        });
    }

    template <typename T>
    void expect_differences(const small_function &subtract, const T *x, const T *y) const {
        const auto n = size_t(kind.width());
        std::vector<T> in(x, x + n), got(2 * n);
        in.insert(in.end(), y, y + n);
        subtract(in.data(), got.data(), 0);
        for (size_t i = 0; i < n; ++i) {
            ASSERT_TRUE(same(got[i], T(y[i] - x[i]))) << y[i] << " - " << x[i];
            ASSERT_TRUE(same(got[n + i], T(x[i] - y[i]))) << x[i] << " - " << y[i];
        }
    }
};

TEST_P(unit_products, differences) {
    with_number([&]<typename T>(T) {
        const auto n = size_t(kind.width());
        const std::vector<T> numbers = results_to_narrow<T>();
        for (bool kept : {false, true}) {
            const small_function subtract = differences(kept);
            for (size_t first = 0; first + 2 * n <= numbers.size() && !HasFatalFailure(); first += n)
                expect_differences(subtract, &numbers[first], &numbers[first + n]);
            const T zeros[][2] = {{0, 0}, {0, -T(0)}, {-T(0), 0}, {-T(0), -T(0)}, {1, 1}, {-1, -1}};
            for (const auto &[a, b] : zeros)
                expect_differences(subtract, std::vector<T>(n, a).data(), std::vector<T>(n, b).data());
        }
    });
}

JITNORM_EVERY_KIND(unit_products);

} // namespace
} // namespace jitnorm::tests
