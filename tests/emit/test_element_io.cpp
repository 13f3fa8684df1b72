// SPDX-License-Identifier: Apache-2.0
// element_io reads and writes rows of every type and length by the definition of widening and narrowing, and touches no
// byte outside of the row: guard pages on both sides.
#include <algorithm>
#include <functional>

#include "jit/emit/affine.hpp"
#include "small_function.hpp"
#include "stored_values.hpp"
#include "support/guarded_buffer.hpp"

namespace jitnorm::tests {
namespace {

constexpr guard_side SIDES[] = {guard_side::after, guard_side::before};

template <typename Stored>
guarded_buffer buffer_of(const Stored *values, size_t count, guard_side side) {
    guarded_buffer buffer(count * sizeof(Stored), side);
    if (count > 0) std::memcpy(buffer.data(), values, count * sizeof(Stored));
    buffer.make_read_only();
    return buffer;
}

class element_io : public emitter {
protected:
    using io_type = impl::jit::element_io;
    using tail_type = impl::jit::tail_mask;
    using walk_body = std::function<void(kernel_generator &, io_type &, tail_type &, places)>;

    enum class walk { loop, straight }; // with a position; by straight code for each length

    // A walk over the row, in pairs of vectors where there are two.
    small_function walked(walk how, const walk_body &body, bool permutes = false) const {
        return function([&](kernel_generator &g) {
            tail_type tail(g, g.vector(15));
            impl::jit::vector_loop loop =
                how == walk::loop ? impl::jit::vector_loop(g, g.rax, g.rcx) : impl::jit::vector_loop(g, g.rdx);
            io_type io(g, tail, loop, g.r9, {g.vector(8), g.vector(9)});
            const auto use = [&](places vectors) { body(g, io, tail, vectors); };
            Xbyak::Label done;
            tail.prepare(g.rdx, g.r8, g.r9);
            if (permutes) io.permute_bf16(g.vector(10));
            if (how == walk::loop) {
                loop.begin(g.rdx);
                loop.walk_freely(2, use);
            } else {
                g.test(g.rdx, g.rdx);
                g.jz(done, Xbyak::CodeGenerator::T_NEAR);
                loop.walk_straight(2, done, use);
            }
            g.L(done);
        });
    }
    int longest(walk how) const { return how == walk::loop ? 5 * kind.width() + 3 : 2 * kind.width(); }

    small_function loader(walk how, jitnorm_data_type_t type, bool permutes = false) const {
        const auto load = [=](kernel_generator &g, io_type &io, auto &, places vectors) {
            for (const auto &p : vectors) {
                io.load(g.vector(p.slot), g.rdi, p, type);
                io.store(g.rsi, p, g.vector(p.slot), g.kind.compute, false);
            }
        };
        return walked(how, load, permutes);
    }

    small_function storer(walk how, jitnorm_data_type_t type, bool non_temporal) const {
        return walked(how, [=](kernel_generator &g, io_type &io, auto &, places vectors) {
            const std::vector<vmm> x = {g.vector(0), g.vector(1)};
            for (const auto &p : vectors) io.load(x[size_t(p.slot)], g.rdi, p, g.kind.compute);
            io.store_all(g.rsi, vectors, x, type, non_temporal);
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

    template <typename Stored, typename T>
    static void expect_stored(const small_function &store, const T *x, int count, guard_side side) {
        const guarded_buffer out(size_t(count) * sizeof(Stored), side), in = buffer_of(x, size_t(count), side);
        store(in.data(), out.data(), count);
        for (int i = 0; i < count; ++i)
            ASSERT_TRUE(same(out.as<Stored>()[i], impl::narrow<Stored>(x[i]))) << x[i] << ", " << i << " of " << count;
        EXPECT_TRUE(out.slack_untouched()) << count;
    }
};

// Every value of bf16, f16, s8 and u8.
TEST_P(element_io, widens_every_value) {
    with_number([&]<typename T>(T) {
        for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            const std::vector<Stored> in = stored_values<Stored>();
            std::vector<T> out(in.size());
            for (bool permutes : {false, true}) {
                loader(walk::loop, type, permutes)(in.data(), out.data(), int64_t(in.size()));
                for (size_t i = 0; i < in.size(); ++i)
                    ASSERT_TRUE(same(out[i], impl::widen<T>(in[i]))) << i << ": " << out[i];
            }
        });
    });
}

TEST_P(element_io, loads_rows_of_every_length) {
    with_number([&]<typename T>(T) {
        for (auto how : {walk::loop, walk::straight})
            for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                const bool permutes = how == walk::loop;
                const auto load = loader(how, type, permutes);
                const std::vector<Stored> values = stored_values<Stored>();
                for (int count = 0; count <= longest(how); ++count)
                    for (guard_side side : SIDES) {
                        const Stored *x = &values[size_t(count * 100) % (values.size() - size_t(count))];
                        const guarded_buffer in = buffer_of(x, size_t(count), side),
                                             out(size_t(count) * sizeof(T), side);
                        load(in.data(), out.data(), count);
                        for (int i = 0; i < count; ++i)
                            ASSERT_TRUE(same(out.template as<T>()[i], impl::widen<T>(x[i]))) << i << " of " << count;
                        EXPECT_TRUE(out.slack_untouched()) << count;
                    }
            });
    });
}

TEST_P(element_io, absent_elements_are_zeros) {
    with_number([&]<typename T>(T) {
        for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            const auto load = walked(walk::loop, [=](kernel_generator &g, auto &io, auto &, places p) {
                if (!p.front().tail) return;
                g.vpcmpeqd(g.ymm0, g.ymm0, g.ymm0); // anything
                io.load(g.vector(0), g.rdi, p.front(), type);
                g.vmovups(g.ptr[g.rsi], g.vector(0));
            });
            const std::vector<Stored> values = stored_values<Stored>();
            for (int count = 1; count < kind.width(); ++count) {
                const guarded_buffer in = buffer_of(&values[1], size_t(count), guard_side::after);
                T out[16];
                load(in.data(), out, count);
                for (int i = count; i < kind.width(); ++i) EXPECT_TRUE(same(out[i], T(0))) << i << " of " << count;
            }
        });
    });
}

TEST_P(element_io, stores_rows_of_every_length) {
    with_number([&]<typename T>(T) {
        const std::vector<T> numbers = results_to_narrow<T>();
        for (auto how : {walk::loop, walk::straight})
            for (bool non_temporal : {false, true})
                for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                    if (type == jitnorm_s32) return; // inputs only
                    const auto store = storer(how, type, non_temporal);
                    for (int count = 0; count <= longest(how); ++count)
                        for (guard_side side : SIDES) {
                            if (non_temporal && side == guard_side::after) continue; // rows begin at whole lines
                            expect_stored<Stored>(store, &numbers[size_t(count * 5000)], count, side);
                            if (HasFatalFailure()) return;
                        }
                });
    });
}

// The first element, and the first four, of rows that have no more.
TEST_P(element_io, first_elements) {
    with_number([&]<typename T>(T) {
        for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
            for (int count : {1, 4}) {
                if (type == jitnorm_s32) return; // of post-op operands only
                const auto load = walked(walk::straight, [=](kernel_generator &g, auto &io, auto &, places vectors) {
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
    });
}

// 1.5 - x where the load is centered, x where it is not.
TEST_P(element_io, centered_load) {
    with_number([&]<typename T>(T) {
        const int COUNT = longest(walk::loop);
        for (bool centered : {true, false})
            for_each_type([&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
                const auto load = walked(walk::loop, [=](kernel_generator &g, auto &io, auto &tail, places vectors) {
                    g.ops.broadcast_number(g.vector(4), 1.5, g.r8);
                    impl::jit::centered_load difference(g, io, type, centered);
                    for (const auto &p : vectors) {
                        difference.emit(g.vector(p.slot), g.vector(4), g.rdi, p);
                        if (p.tail) tail.zero_absent(g.vector(p.slot));
                        io.store(g.rsi, p, g.vector(p.slot), g.kind.compute, false);
                    }
                });
                const std::vector<Stored> values = stored_values<Stored>();
                const guarded_buffer in = buffer_of(&values[40], size_t(COUNT), guard_side::after);
                std::vector<T> out(static_cast<size_t>(COUNT));
                load(in.data(), out.data(), COUNT);
                for (size_t i = 0; i < out.size(); ++i) {
                    const T x = impl::widen<T>(values[40 + i]);
                    ASSERT_TRUE(same(out[i], centered ? T(1.5) - x : x)) << i;
                }
            });
    });
}

// Rows of every length through pairs in unpack order, which are stored in plain order again: (1.5 - x) * x.
TEST_P(element_io, unpack_order) {
    if (!impl::jit::unpacks_for_less(kind, jitnorm_bf16)) GTEST_SKIP() << "there is none";
    const auto code_for = [&](jitnorm_data_type_t type, jitnorm_data_type_t to) {
        return walked(walk::loop, [=](kernel_generator &g, io_type &io, auto &, places vectors) {
            const std::vector<vmm> x = {g.vector(0), g.vector(1)}, scale = {g.vector(2), g.vector(3)};
            io.use_unpack_order(g.vector(6));
            EXPECT_EQ(io.in_unpack_order(vectors), vectors.size() == 2);
            g.ops.broadcast_number(g.vector(4), 1.5, g.r8);
            impl::jit::centered_load(g, io, type, true).emit_all(x, g.vector(4), g.rdi, vectors);
            impl::jit::scale_shift affine(g, io, type, false, scale, {});
            affine.load(vectors, g.rdi, g.rdi);
            for (const auto &p : vectors) affine.apply(x[size_t(p.slot)], p);
            io.store_all(g.rsi, vectors, x, to, false);
        });
    };
    const auto expect_rows = [&]<typename Stored>(jitnorm_data_type_t type, impl::stored_as<Stored>) {
        const std::vector<Stored> values = stored_values<Stored>();
        const auto through = code_for(type, jitnorm_bf16);
        for (int count = 0; count <= longest(walk::loop); ++count)
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

JITNORM_EVERY_KIND(element_io);

} // namespace
} // namespace jitnorm::tests
