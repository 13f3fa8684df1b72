// SPDX-License-Identifier: Apache-2.0
// pivots finds the mean of a row's first four elements, added in the defined order, or the first of fewer, and reads no
// element that is not there.
#include <random>
#include <vector>

#include "jit/emit/pivots.hpp"
#include "rig/guarded_buffer.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8};

template <typename On>
class pivots : public emitter<On> {};
TYPED_TEST_SUITE(pivots, every_isa_and_type);

template <typename On>
class pivots_of_floats : public emitter<On> {};
using every_isa = testing::Types<on<isa::avx2, float>, on<isa::avx512, float>>;
TYPED_TEST_SUITE(pivots_of_floats, every_isa);

template <typename On, typename Body> // void(the emitter)
void with_pivots(Xbyak::CodeGenerator &g, jitnorm_data_type_t type, Body &&body) {
    using T = typename On::compute_type;
    constexpr isa I = On::value;
    impl::jit::tail_mask<I, T> tail(g, typename impl::jit::vector_traits<I>::vmm(15));
    const impl::jit::row_walker<I, T> walker(g, g.rdx);
    impl::jit::element_io<I, T> io(g, tail, walker, g.r9);
    impl::jit::pivots<I, T> found(g, io, type, g.rdx, 8);
    found.begin(g.rax);
    body(found);
    g.vzeroupper();
    g.ret();
    tail.emit_table();
}

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

TYPED_TEST(pivots, of_one_row) {
    using T = typename TestFixture::compute_type;
    for (auto type : TYPES)
        impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
            const small_function find([&](Xbyak::CodeGenerator &g) {
                with_pivots<TypeParam>(g, type, [&](auto &found) {
                    found.find(g.xmm0, g.xmm1, g.rdi);
                    impl::jit::vector_ops<T>(g).store_lowest(g.ptr[g.rsi], g.xmm0);
                });
            });
            const std::vector<Stored> numbers = random_numbers<Stored>(100);
            for (int count = 1; count <= 5; ++count)
                for (size_t first = 0; first + 5 <= numbers.size(); ++first) {
                    const guarded_buffer row(size_t(count) * sizeof(Stored));
                    std::memcpy(row.data(), &numbers[first], row.bytes());
                    T got = -1;
                    find(row.data(), &got, count);
                    EXPECT_EQ(got, (pivot_by_definition<T>(&numbers[first], count))) << count << " of type " << type;
                }
        });
}

// Rows of five elements, which the stride says; it arrives as the count.
TYPED_TEST(pivots_of_floats, of_eight_rows) {
    constexpr size_t ROWS = 8, LENGTH = 5;
    for (auto type : TYPES)
        impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
            const small_function find([&](Xbyak::CodeGenerator &g) {
                with_pivots<TypeParam>(g, type, [&](auto &found) {
                    found.find_eight({g.ymm0, g.ymm1, g.ymm2, g.ymm3}, g.ymm4, g.rdi, g.rdx, g.rcx);
                    g.vmovups(g.ptr[g.rsi], g.ymm0);
                    g.mov(g.ptr[g.rsi + ROWS * sizeof(float)], g.rdi);
                });
            });
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

} // namespace
} // namespace jitnorm::tests
