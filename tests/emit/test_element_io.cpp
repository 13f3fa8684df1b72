// SPDX-License-Identifier: Apache-2.0
// element_io reads and writes rows of every type and length by the definition of widening and narrowing, and touches no
// byte outside of the row: guard pages on both sides.
#include <algorithm>
#include <functional>

#include "jit/emit/centered_load.hpp"
#include "jit/emit/element_io.hpp"
#include "jit/emit/scale_shift.hpp"
#include "rig/guarded_buffer.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"

namespace jitnorm::tests {
namespace {

using impl::jit::places;

constexpr guard_side SIDES[] = {guard_side::after, guard_side::before};

template <typename Stored>
guarded_buffer buffer_of(const Stored *values, size_t count, guard_side side) {
    guarded_buffer buffer(count * sizeof(Stored), side);
    if (count > 0) std::memcpy(buffer.data(), values, count * sizeof(Stored));
    buffer.make_read_only();
    return buffer;
}

template <typename On>
class element_io : public emitter<On> {
protected:
    static constexpr isa I = On::value;
    using number = typename On::compute_type;
    using typename emitter<On>::vmm;
    using emitter<On>::WIDTH;
    using walker_type = impl::jit::row_walker<I, number>;
    using io_type = impl::jit::element_io<I, number>;
    static constexpr jitnorm_data_type_t OWN = impl::jit::data_type_of<number>;
    static constexpr int BYTES = impl::jit::vector_traits<I>::bytes, LONGEST = 5 * WIDTH + 3;

    using tail_type = impl::jit::tail_mask<I, number>;
    using walk_body = std::function<void(Xbyak::CodeGenerator &, io_type &, tail_type &, places)>;

    enum class walk { loop, straight }; // with a position; by straight code for each length

    // A walk over the row, in pairs of vectors where there are two.
    static small_function walked(walk how, const walk_body &body, bool permutes = false) {
        return small_function([&](Xbyak::CodeGenerator &g) {
            tail_type tail(g, vmm(15));
            walker_type walker = how == walk::loop ? walker_type(g, g.rax, g.rcx) : walker_type(g, g.rdx);
            io_type io(g, tail, walker, g.r9, {vmm(8), vmm(9)});
            const auto use = [&](places vectors) { body(g, io, tail, vectors); };
            Xbyak::Label done;
            tail.prepare(g.rdx, g.r8, g.r9);
            if (permutes) io.permute_bf16(vmm(10));
            if (how == walk::loop) {
                walker.begin(g.rdx);
                walker.walk_freely(2, use);
            } else {
                g.test(g.rdx, g.rdx);
                g.jz(done, Xbyak::CodeGenerator::T_NEAR);
                walker.walk_straight(2, done, use);
            }
            g.L(done);
            g.vzeroupper();
            g.ret();
            tail.emit_table();
            io.emit_rest();
        });
    }
    static int longest(walk how) { return how == walk::loop ? LONGEST : 2 * WIDTH; }

    static small_function loader(walk how, jitnorm_data_type_t type, bool permutes = false) {
        const auto load = [=](Xbyak::CodeGenerator &g, io_type &io, auto &, places vectors) {
            for (const auto &p : vectors) {
                io.load(vmm(p.slot), g.rdi, p, type);
                io.store(g.rsi, p, vmm(p.slot), OWN, false);
            }
        };
        return walked(how, load, permutes);
    }

    static small_function storer(walk how, jitnorm_data_type_t type, bool non_temporal) {
        return walked(how, [=](Xbyak::CodeGenerator &g, io_type &io, auto &, places vectors) {
            for (const auto &p : vectors) io.load(vmm(p.slot), g.rdi, p, OWN);
            io.store_all(g.rsi, vectors, vmm(vectors.front().slot), type, non_temporal);
        });
    }

    // body(type, stored_as<Stored>) for the types that rows of the compute type can be stored in.
    template <typename Body>
    static void for_each_type(Body &&body) {
        for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_s8, jitnorm_u8, jitnorm_s32, jitnorm_f64}) {
            if (type == jitnorm_f64 && OWN != jitnorm_f64) continue;
            SCOPED_TRACE("type " + std::to_string(type));
            impl::visit_data_type(type, [&](auto stored) { body(type, stored); });
            if (testing::Test::HasFatalFailure()) return;
        }
    }

    template <typename Stored>
    static void expect_stored(const auto &store, const number *x, int count, guard_side side) {
        const guarded_buffer out(size_t(count) * sizeof(Stored), side), in = buffer_of(x, size_t(count), side);
        store(in.data(), out.data(), count);
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE(same(out.as<Stored>()[i], impl::narrow<Stored>(x[i]))) << x[i] << ", " << i << " of " << count;
        EXPECT_TRUE(out.slack_untouched()) << count;
    }
};
TYPED_TEST_SUITE(element_io, every_isa_and_type);

// Every value of bf16, f16, s8 and u8.
TYPED_TEST(element_io, widens_every_value) {
    using T = typename TestFixture::compute_type;
    this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
        const std::vector<Stored> in = stored_values<Stored>();
        std::vector<T> out(in.size());
        for (bool permutes : {false, true}) {
            this->loader(TestFixture::walk::loop, type, permutes)(in.data(), out.data(), int64_t(in.size()));
            for (size_t i = 0; i < in.size(); ++i)
                ASSERT_TRUE(same(out[i], impl::widen<T>(in[i]))) << i << ": " << out[i];
        }
    });
}

TYPED_TEST(element_io, loads_rows_of_every_length) {
    using T = typename TestFixture::compute_type;
    for (auto how : {TestFixture::walk::loop, TestFixture::walk::straight})
        this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            const bool permutes = how == TestFixture::walk::loop;
            const auto load = this->loader(how, type, permutes);
            const std::vector<Stored> values = stored_values<Stored>();
            for (int count = 0; count <= this->longest(how); ++count)
                for (guard_side side : SIDES) {
                    const Stored *x = &values[size_t(count * 100) % (values.size() - size_t(count))];
                    const guarded_buffer in = buffer_of(x, size_t(count), side), out(size_t(count) * sizeof(T), side);
                    load(in.data(), out.data(), count);
                    for (int i = 0; i < count; ++i)
                        ASSERT_TRUE(same(out.template as<T>()[i], impl::widen<T>(x[i]))) << i << " of " << count;
                    EXPECT_TRUE(out.slack_untouched()) << count;
                }
        });
}

TYPED_TEST(element_io, absent_elements_are_zeros) {
    using T = typename TestFixture::compute_type;
    using vector = typename TestFixture::vmm;
    this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
        const auto load =
            this->walked(TestFixture::walk::loop, [=](Xbyak::CodeGenerator &g, auto &io, auto &, places p) {
                if (!p.front().tail) return;
                g.vpcmpeqd(g.ymm0, g.ymm0, g.ymm0); // anything
                io.load(vector(0), g.rdi, p.front(), type);
                g.vmovups(g.ptr[g.rsi], vector(0));
            });
        const std::vector<Stored> values = stored_values<Stored>();
        for (int count = 1; count < TestFixture::WIDTH; ++count) {
            const guarded_buffer in = buffer_of(&values[1], size_t(count), guard_side::after);
            T out[16];
            load(in.data(), out, count);
            for (int i = count; i < TestFixture::WIDTH; ++i) EXPECT_TRUE(same(out[i], T(0))) << i << " of " << count;
        }
    });
}

TYPED_TEST(element_io, stores_rows_of_every_length) {
    using T = typename TestFixture::compute_type;
    const std::vector<T> numbers = results_to_narrow<T>();
    for (auto how : {TestFixture::walk::loop, TestFixture::walk::straight})
        for (bool non_temporal : {false, true})
            this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                if (type == jitnorm_s32) return; // inputs only
                const auto store = this->storer(how, type, non_temporal);
                for (int count = 0; count <= this->longest(how); ++count)
                    for (guard_side side : SIDES) {
                        if (non_temporal && side == guard_side::after) continue; // rows begin at whole lines
                        this->template expect_stored<Stored>(store, &numbers[size_t(count * 5000)], count, side);
                        if (TestFixture::HasFatalFailure()) return;
                    }
            });
}

// The first element, and the first four, of rows that have no more.
TYPED_TEST(element_io, first_elements) {
    using T = typename TestFixture::compute_type;
    this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
        for (int count : {1, 4}) {
            if (type == jitnorm_s32) return; // of post-op operands only
            const auto load = this->walked(TestFixture::walk::straight, [=](auto &g, auto &io, auto &, places vectors) {
                if (vectors.size() > 1) return;
                count == 1 ? io.load_first(g.xmm0, g.rdi, type) : io.load_four(g.xmm0, g.rdi, type);
                g.vmovups(g.ptr[g.rsi], g.ymm0);
            });
            const std::vector<Stored> values = stored_values<Stored>();
            for (size_t first = 0; first + 4 <= values.size(); first += values.size() < 1000 ? 1 : 97) {
                const guarded_buffer in = buffer_of(&values[first], size_t(count), guard_side::after);
                T out[8];
                load(in.data(), out, 1);
                for (int i = 0; i < count; ++i)
                    ASSERT_TRUE(same(out[i], impl::widen<T>(values[first + size_t(i)]))) << first;
            }
        }
    });
}

// 1.5 - x where the load is centered, x where it is not.
TYPED_TEST(element_io, centered_load) {
    using T = typename TestFixture::compute_type;
    using vector = typename TestFixture::vmm;
    constexpr int COUNT = TestFixture::LONGEST;
    for (bool centered : {true, false})
        this->for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            const auto load = this->walked(
                TestFixture::walk::loop, [=](Xbyak::CodeGenerator &g, auto &io, auto &tail, places vectors) {
                    impl::jit::vector_ops<T>(g).broadcast_number(vector(4), T(1.5), g.r8);
                    impl::jit::centered_load<TestFixture::I, T> difference(g, io, type, centered);
                    for (const auto &p : vectors) {
                        difference.emit(vector(p.slot), vector(4), g.rdi, p);
                        if (p.tail) tail.zero_absent(vector(p.slot));
                        io.store(g.rsi, p, vector(p.slot), TestFixture::OWN, false);
                    }
                });
            const std::vector<Stored> values = stored_values<Stored>();
            const guarded_buffer in = buffer_of(&values[40], COUNT, guard_side::after);
            T out[COUNT];
            load(in.data(), out, COUNT);
            for (size_t i = 0; i < COUNT; ++i) {
                const T x = impl::widen<T>(values[40 + i]);
                ASSERT_TRUE(same(out[i], centered ? T(1.5) - x : x)) << i;
            }
        });
}

// Rows of every length through crossed pairs, in which they are stored in order again: (1.5 - x) * x.
using element_io_on_avx2 = element_io<on<isa::avx2, float>>;
TEST_F(element_io_on_avx2, crossed_pairs) {
    const auto code_for = [](jitnorm_data_type_t type, jitnorm_data_type_t to) {
        return walked(walk::loop, [=](Xbyak::CodeGenerator &g, io_type &io, auto &, places vectors) {
            const std::vector<vmm> x = {vmm(0), vmm(1)}, scale = {vmm(2), vmm(3)};
            io.cross(vmm(6));
            EXPECT_EQ(io.crosses(vectors), vectors.size() == 2);
            impl::jit::vector_ops<number>(g).broadcast_number(vmm(4), 1.5F, g.r8);
            impl::jit::centered_load<I, number>(g, io, type, true).emit_all(x, vmm(4), g.rdi, vectors);
            impl::jit::plus_one<I, number> one(g, false);
            impl::jit::scale_shift<I, number> affine(g, io, one, type, scale, {});
            affine.load(vectors, g.rdi, g.rdi);
            for (const auto &p : vectors) affine.apply(x[size_t(p.slot)], p);
            io.store_all(g.rsi, vectors, x[size_t(vectors.front().slot)], to, false);
        });
    };
    const auto expect_rows = [&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
        const std::vector<Stored> values = stored_values<Stored>();
        const auto through = code_for(type, jitnorm_bf16);
        for (int count = 0; count <= LONGEST; ++count)
            for (size_t first = 0; first < values.size(); first += values.size() / 50) {
                const Stored *x = &values[std::min(first, values.size() - size_t(count))];
                const guarded_buffer in = buffer_of(x, size_t(count), guard_side::after);
                const guarded_buffer out(size_t(count) * sizeof(impl::bf16), guard_side::after);
                through(in.data(), out.data(), count);
                for (int i = 0; i < count; ++i) {
                    const auto wide = impl::widen<float>(x[i]);
                    ASSERT_TRUE(same(out.as<impl::bf16>()[i], impl::narrow<impl::bf16>((1.5F - wide) * wide)))
                        << wide << ", " << i << " of " << count;
                }
                EXPECT_TRUE(out.slack_untouched()) << count;
            }
    };
    for (auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
        impl::visit_data_type(type, [&](auto stored) { expect_rows(type, stored); });
}

} // namespace
} // namespace jitnorm::tests
