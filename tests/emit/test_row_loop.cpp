// SPDX-License-Identifier: Apache-2.0
// row_loop visits every row of a batch once, in passes as long as there are enough rows, with the right addresses in
// tensors of different strides and the right numbers.
#include <vector>

#include "jit/emit/loops.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

class row_loop : public emitter {};

template <typename T>
struct step_arguments {
    int64_t rows, first, first_stride, second, second_stride;
    const T *numbers;
};

// For each row: its addresses, the rows of the pass, its number.
template <typename T>
struct visit {
    int64_t first, second, pass;
    T number;
};

// Arguments at rdi, visits to rsi.
template <typename T>
void step_through(kernel_generator &g, int most) {
    using arguments = step_arguments<T>;
    const auto argument = [&](size_t field) { return g.ptr[g.rdi + field]; };
    const std::vector<impl::jit::reg> first = {g.r8, g.r9}, second = {g.r10, g.r11};
    const std::vector<vmm> numbers = g.registers.take_vectors(2);
    impl::jit::row_loop rows(
        g, g.rax, g.rcx, argument(offsetof(arguments, rows)),
        {{first, argument(offsetof(arguments, first)), argument(offsetof(arguments, first_stride))},
         {second, argument(offsetof(arguments, second)), argument(offsetof(arguments, second_stride))}});
    rows.begin();
    for (int pass = most; pass > 0; --pass)
        rows.step(pass, [&] {
            rows.broadcast(argument(offsetof(arguments, numbers)), std::span(numbers).first(size_t(pass)));
            for (size_t r = 0; r < size_t(pass); ++r) {
                g.mov(g.ptr[g.rsi + offsetof(visit<T>, first)], first[r]);
                g.mov(g.ptr[g.rsi + offsetof(visit<T>, second)], second[r]);
                g.mov(g.qword[g.rsi + offsetof(visit<T>, pass)], pass);
                g.ops.store_lowest(g.ptr[g.rsi + offsetof(visit<T>, number)], impl::jit::xmm_of(numbers[r]));
                g.add(g.rsi, int(sizeof(visit<T>)));
            }
        });
}

TEST_P(row_loop, visits_every_row) {
    with_number([&]<typename T>(T) {
        const std::vector<T> numbers = {3, 1, 4, 1, 5, 9, 2};
        for (int most : {1, 2}) {
            const small_function walked = function([&](kernel_generator &g) { step_through<T>(g, most); });
            for (int64_t rows = 0; rows <= 7; ++rows) {
                const step_arguments<T> arguments = {rows, 1000, 100, 16, -8, numbers.data()};
                std::vector<visit<T>> visits(size_t(rows) + 1, {-1, -1, -1, -1});
                walked(&arguments, visits.data(), 0);
                for (int64_t r = 0; r < rows; ++r) {
                    const visit<T> &got = visits[size_t(r)];
                    EXPECT_EQ(got.first, 1000 + r * 100);
                    EXPECT_EQ(got.second, 16 + r * -8);
                    EXPECT_EQ(got.pass, most == 2 && r / 2 * 2 + 1 < rows ? 2 : 1) << r << " of " << rows;
                    EXPECT_EQ(got.number, numbers[size_t(r)]);
                }
                EXPECT_EQ(visits.back().pass, -1) << rows;
            }
        }
    });
}

// Passes whose body moves on by itself, and the rows that they leave.
TEST_P(row_loop, moves_on_in_a_pass) {
    with_number([&]<typename T>(T) {
        using arguments = step_arguments<T>;
        constexpr int PASS = 4;
        const small_function walked = function([](kernel_generator &g) {
            const auto argument = [&](size_t field) { return g.ptr[g.rdi + field]; };
            impl::jit::row_loop rows(
                g, g.rax, g.rcx, argument(offsetof(arguments, rows)),
                {{{g.r8}, argument(offsetof(arguments, first)), argument(offsetof(arguments, first_stride))}});
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
        });
        for (int64_t rows = 0; rows <= 3 * PASS; ++rows) {
            const arguments args = {rows, 0, 24, 0, 0, nullptr};
            int64_t got[3] = {}; // passes, single rows, where the row after the last one is
            walked(&args, got, 0);
            EXPECT_EQ(got[0], rows / PASS);
            EXPECT_EQ(got[1], rows % PASS);
            EXPECT_EQ(got[2], rows * 24);
        }
    });
}

JITNORM_EVERY_KIND(row_loop);

} // namespace
} // namespace jitnorm::tests
