// SPDX-License-Identifier: Apache-2.0
// row_stepper visits every row of a batch once, in passes as long as there are enough rows, with the right addresses in
// tensors of different strides and the right numbers.
#include <vector>

#include "jit/emit/row_stepper.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

template <typename On>
class row_stepper : public emitter<On> {};
TYPED_TEST_SUITE(row_stepper, every_isa_and_type);

template <typename T>
struct step_arguments {
    int64_t rows, first_stride, second_stride;
    const T *numbers;
};

// For each row: the bytes that its addresses are behind the first row's, the rows of the pass, its number.
template <typename T>
struct visit {
    int64_t first, second, pass;
    T number;
};

// Arguments at rdi, visits to rsi. Both tensors begin at address 0.
template <typename On>
void step_through(Xbyak::CodeGenerator &g, int most) {
    using T = typename On::compute_type;
    using arguments = step_arguments<T>;
    using vector = typename impl::jit::vector_traits<On::value>::vmm;
    using reg = Xbyak::Reg64;
    const auto argument = [&](size_t field) { return g.ptr[g.rdi + field]; };
    const std::vector<reg> first = {g.r8, g.r9}, second = {g.r10, g.r11};
    const vector numbers[] = {vector(0), vector(1)};
    impl::jit::row_stepper<T> rows(
        g, g.rax, g.rcx, argument(offsetof(arguments, rows)),
        {{first, argument(offsetof(arguments, first_stride))}, {second, argument(offsetof(arguments, second_stride))}});
    g.xor_(g.r8d, g.r8d);
    g.xor_(g.r10d, g.r10d);
    rows.begin();
    for (int pass = most; pass > 0; --pass)
        rows.step(pass, [&] {
            rows.broadcast(argument(offsetof(arguments, numbers)), std::span(numbers).first(size_t(pass)));
            for (size_t r = 0; r < size_t(pass); ++r) {
                g.mov(g.ptr[g.rsi + offsetof(visit<T>, first)], first[r]);
                g.mov(g.ptr[g.rsi + offsetof(visit<T>, second)], second[r]);
                g.mov(g.qword[g.rsi + offsetof(visit<T>, pass)], pass);
                impl::jit::vector_ops<T>(g).store_lowest(g.ptr[g.rsi + offsetof(visit<T>, number)],
                                                         Xbyak::Xmm(numbers[r].getIdx()));
                g.add(g.rsi, int(sizeof(visit<T>)));
            }
        });
    g.vzeroupper();
    g.ret();
}

TYPED_TEST(row_stepper, visits_every_row) {
    using T = typename TestFixture::compute_type;
    const std::vector<T> numbers = {3, 1, 4, 1, 5, 9, 2};
    for (int most : {1, 2}) {
        const small_function walked([&](Xbyak::CodeGenerator &g) { step_through<TypeParam>(g, most); });
        for (int64_t rows = 0; rows <= 7; ++rows) {
            const step_arguments<T> arguments = {rows, 100, -8, numbers.data()};
            std::vector<visit<T>> visits(size_t(rows) + 1, {-1, -1, -1, -1});
            walked(&arguments, visits.data(), 0);
            for (int64_t r = 0; r < rows; ++r) {
                const visit<T> &got = visits[size_t(r)];
                EXPECT_EQ(got.first, r * 100);
                EXPECT_EQ(got.second, r * -8);
                EXPECT_EQ(got.pass, most == 2 && r / 2 * 2 + 1 < rows ? 2 : 1) << r << " of " << rows;
                EXPECT_EQ(got.number, numbers[size_t(r)]);
            }
            EXPECT_EQ(visits.back().pass, -1) << rows;
        }
    }
}

// Passes whose body moves on by itself, and the rows that they leave.
TYPED_TEST(row_stepper, moves_on_in_a_pass) {
    using T = typename TestFixture::compute_type;
    using arguments = step_arguments<T>;
    constexpr int PASS = 4;
    const small_function walked([](Xbyak::CodeGenerator &g) {
        impl::jit::row_stepper<T, Xbyak::Reg64> rows(g, g.rax, g.rcx, g.ptr[g.rdi + offsetof(arguments, rows)],
                                                     {{{g.r8}, g.r9}});
        g.mov(g.r9, g.ptr[g.rdi + offsetof(arguments, first_stride)]);
        g.xor_(g.r8d, g.r8d);
        rows.begin();
        rows.while_left(PASS, [&] {
            Xbyak::Label next;
            g.L(next);
            rows.move_on();
            g.test(g.rax, PASS - 1);
            g.jnz(next);
            g.inc(g.qword[g.rsi]);
        });
        rows.step(1, [&] { g.inc(g.qword[g.rsi + 8]); });
        g.mov(g.ptr[g.rsi + 16], g.r8);
        g.ret();
    });
    for (int64_t rows = 0; rows <= 3 * PASS; ++rows) {
        const arguments args = {rows, 24, 0, nullptr};
        int64_t got[3] = {}; // passes, single rows, where the row behind the last one is
        walked(&args, got, 0);
        EXPECT_EQ(got[0], rows / PASS);
        EXPECT_EQ(got[1], rows % PASS);
        EXPECT_EQ(got[2], rows * 24);
    }
}

} // namespace
} // namespace jitnorm::tests
