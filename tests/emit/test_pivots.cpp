// SPDX-License-Identifier: Apache-2.0
// pivots finds the mean of a row's first four elements, added in the defined order, or the first of fewer, and reads no
// element that is not there.
#include <random>
#include <vector>

#include "jit/emit/sums.hpp"
#include "rig/guarded_buffer.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8};

class pivots : public emitter {
protected:
    // A function that uses the emitter for rows of `type`.
    small_function finder(jitnorm_data_type_t type,
                          const std::function<void(kernel_generator &, impl::jit::pivots &)> &body) const {
        return function([&](kernel_generator &g) {
            impl::jit::tail_mask tail(g, g.vector(15));
            const impl::jit::vector_loop loop(g, g.rdx);
            impl::jit::element_io io(g, tail, loop, g.r9);
            impl::jit::pivots found(g, io, type, g.rdx, g.vector(8));
            found.begin(g.rax);
            body(g, found);
        });
    }
};

template <typename T, typename Stored>
T pivot_by_definition(const Stored *row, int count) {
    const auto x = [&](int i) { return impl::widen<T>(row[i]); };
    return count < 4 ? x(0) : (x(0) / 4 + x(1) / 4) + (x(2) / 4 + x(3) / 4);
}

// Rows of numbers of very different magnitudes.
template <typename Stored>
std::vector<Stored> random_numbers(size_t count) {
    std::mt19937 generator(14);
    std::uniform_real_distribution<float> exponent(-8, 8);
    std::vector<Stored> numbers;
    while (numbers.size() < count) numbers.push_back(impl::narrow<Stored>(std::exp2(exponent(generator))));
    return numbers;
}

TEST_P(pivots, of_one_row) {
    for (auto type : TYPES) {
        const small_function find = finder(type, [](kernel_generator &g, impl::jit::pivots &found) {
            found.find(g.xmm0, g.xmm1, g.rdi);
            g.ops.store_lowest(g.ptr[g.rsi], g.xmm0);
        });
        const auto expect_pivots = [&]<typename T, typename Stored>(T, impl::stored_as<Stored>) {
            const std::vector<Stored> numbers = random_numbers<Stored>(100);
            for (int count = 1; count <= 5; ++count)
                for (size_t first = 0; first + 5 <= numbers.size(); ++first) {
                    const guarded_buffer row(size_t(count) * sizeof(Stored));
                    std::memcpy(row.data(), &numbers[first], row.bytes());
                    T got = -1;
                    find(row.data(), &got, count);
                    EXPECT_EQ(got, (pivot_by_definition<T>(&numbers[first], count))) << count << " of type " << type;
                }
        };
        with_number(
            [&](auto number) { impl::visit_data_type(type, [&](auto stored) { expect_pivots(number, stored); }); });
    }
}

// Rows of five elements, which the stride says; it arrives as the count.
TEST_P(pivots, of_eight_rows) {
    if (kind.is_f64()) GTEST_SKIP() << "of floats only";
    constexpr size_t ROWS = 8, LENGTH = 5;
    for (auto type : TYPES) {
        const small_function find = finder(type, [](kernel_generator &g, impl::jit::pivots &found) {
            found.find_eight({g.ymm0, g.ymm1, g.ymm2, g.ymm3}, g.ymm4, g.rdi, g.rdx, g.rcx);
            g.vmovups(g.ptr[g.rsi], g.ymm0);
            g.mov(g.ptr[g.rsi + ROWS * sizeof(float)], g.rdi);
        });
        impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
            const std::vector<Stored> numbers = random_numbers<Stored>(ROWS * LENGTH);
            const guarded_buffer rows(((ROWS - 1) * LENGTH + 4) * sizeof(Stored)); // no more than is needed
            std::memcpy(rows.data(), numbers.data(), rows.bytes());
            struct {
                float pivots[ROWS];
                const Stored *behind;
            } got;
            find(rows.data(), &got, LENGTH * sizeof(Stored));
            for (size_t r = 0; r < ROWS; ++r)
                EXPECT_EQ(got.pivots[r], (pivot_by_definition<float>(&numbers[r * LENGTH], LENGTH))) << type;
            EXPECT_EQ(got.behind, rows.as<Stored>() + ROWS * LENGTH);
        });
    }
}

JITNORM_EVERY_KIND(pivots);

} // namespace
} // namespace jitnorm::tests
