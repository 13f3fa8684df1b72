// SPDX-License-Identifier: Apache-2.0
// element_io reads and writes rows of every type and length by the definition of widening and narrowing, and touches no
// byte outside of the row: guard pages on both sides.
#include <algorithm>

#include "jit/emit/element_io.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"
#include "support/guarded_buffer.hpp"

namespace jitnorm::tests {
namespace {

class element_io : public emitter {
protected:
    enum class walk { loop, straight }; // with a position; by straight code for each length

    // From rows of one type, whose pairs may be permuted, to rows of another, in pairs of vectors where there are two.
    // One of the types is the compute type.
    small_function mover(walk how, jitnorm_data_type_t from, jitnorm_data_type_t to, bool permutes = false,
                         bool non_temporal = false) const {
        return function([=](kernel_generator &g) {
            impl::jit::tail_mask tail(g, g.vector(15));
            impl::jit::vector_loop loop =
                how == walk::loop ? impl::jit::vector_loop(g, g.rax, g.rcx) : impl::jit::vector_loop(g, g.rdx);
            impl::jit::element_io io(g, tail, loop, g.r9, {g.vector(8), g.vector(9)});
            const auto move = [&](places vectors) {
                const std::vector<vmm> x = {g.vector(0), g.vector(1)};
                for (const auto &p : vectors) io.load(x[p.slot], g.rdi, p, from);
                io.store_all(g.rsi, vectors, x, to, non_temporal);
            };
            Xbyak::Label done;
            tail.prepare(g.rdx, g.r8, g.r9);
            if (permutes) io.permute_bf16(g.vector(10));
            if (how == walk::loop) {
                loop.begin(g.rdx);
                loop.walk_freely(2, move);
            } else {
                g.test(g.rdx, g.rdx);
                g.jz(done, Xbyak::CodeGenerator::T_NEAR);
                loop.walk_straight(2, done, move);
            }
            g.L(done);
        });
    }

    // body(type, stored_as<Stored>) for the types that rows of the compute type can be stored in.
    template <typename Body>
    void for_each_type(Body &&body) const {
        for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8, jitnorm_s32, jitnorm_f64}) {
            if (type == jitnorm_f64 && !kind.is_f64()) continue;
            SCOPED_TRACE("type " + std::to_string(type));
            impl::visit_data_type(type, [&](auto stored) { body(type, stored); });
            if (testing::Test::HasFatalFailure()) return;
        }
    }

    // Rows of every length that begin or end at a guard page, each at another place among the values.
    template <typename From, typename Convert>
    void expect_moved(walk how, const small_function &move, const std::vector<From> &values, Convert convert,
                      bool at_lines = false) const {
        using to = decltype(convert(values[0]));
        const int longest = how == walk::loop ? 5 * kind.width() + 3 : 2 * kind.width();
        for (int count = 0; count <= longest; ++count)
            for (const guard_side side : {guard_side::before, guard_side::after}) {
                if (at_lines && side == guard_side::after) continue;
                const From *x = &values[size_t(count * 5000) % (values.size() - size_t(count))];
                const guarded_buffer in(size_t(count) * sizeof(From), side), out(size_t(count) * sizeof(to), side);
                std::copy_n(x, count, in.as<From>());
                in.make_read_only();
                move(in.data(), out.data(), count);
                for (int i = 0; i < count; ++i)
                    ASSERT_TRUE(same(out.as<to>()[i], convert(x[i]))) << i << " of " << count;
                EXPECT_TRUE(out.slack_untouched()) << count;
            }
    }
};

// Every value of bf16, f16, s8 and u8.
TEST_P(element_io, widens_every_value) {
    with_number([&]<typename T>(T) {
        for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            const std::vector<Stored> in = stored_values<Stored>();
            std::vector<T> out(in.size());
            for (bool permutes : {false, true}) {
                mover(walk::loop, type, kind.compute, permutes)(in.data(), out.data(), int64_t(in.size()));
                for (size_t i = 0; i < in.size(); ++i)
                    ASSERT_TRUE(same(out[i], impl::widen<T>(in[i]))) << i << ": " << out[i];
            }
        });
    });
}

TEST_P(element_io, moves_rows_of_every_length) {
    with_number([&]<typename T>(T) {
        const std::vector<T> numbers = results_to_narrow<T>();
        for (auto how : {walk::loop, walk::straight})
            for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                expect_moved(how, mover(how, type, kind.compute, how == walk::loop), stored_values<Stored>(),
                             [](Stored x) { return impl::widen<T>(x); });
                if constexpr (!std::is_same_v<Stored, int32_t>) // of inputs only
                    for (bool non_temporal : {false, true})     // the latter begin at whole lines
                        expect_moved(
                            how, mover(how, kind.compute, type, false, non_temporal), numbers,
                            [](T x) { return impl::narrow<Stored>(x); }, non_temporal);
            });
    });
}

// The first four elements as floats, of rows that have no more.
TEST_P(element_io, first_four) {
    with_number([&]<typename T>(T) {
        if constexpr (std::is_same_v<T, float>)
            for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                if (type == jitnorm_s32) return; // of post-op operands only
                const small_function load = function([=](kernel_generator &g) {
                    impl::jit::tail_mask tail(g, g.vector(15));
                    impl::jit::vector_loop loop(g, g.rdx);
                    impl::jit::element_io(g, tail, loop, g.r9).load_four(g.xmm0, g.rdi, type);
                    g.vmovups(g.ptr[g.rsi], g.ymm0);
                });
                const std::vector<Stored> values = stored_values<Stored>();
                for (size_t first = 0; first + 4 <= values.size(); first += values.size() < 1000 ? 1 : 97) {
                    const guarded_buffer in(4 * sizeof(Stored), guard_side::after);
                    std::copy_n(&values[first], 4, in.as<Stored>());
                    T out[8];
                    load(in.data(), out, 1);
                    for (size_t i = 0; i < 4; ++i)
                        ASSERT_TRUE(same(out[i], impl::widen<T>(values[first + i]))) << first;
                }
            });
    });
}

JITNORM_EVERY_KIND(element_io);

} // namespace
} // namespace jitnorm::tests
