// SPDX-License-Identifier: Apache-2.0
// recorded_code computes what the recorded function computes, to the bit, however few registers it is given.
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "arithmetic/post_ops.hpp"
#include "core/algorithms.hpp"
#include "jit/emit/recorded_code.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::jit::operation;
using impl::jit::recorded;
using impl::jit::recorded_number;
using impl::jit::recording;

template <typename On>
class recorded_code : public emitter<On> {};
TYPED_TEST_SUITE(recorded_code, every_isa_and_type);

// Of all magnitudes, with the numbers that are special.
template <typename T>
std::vector<T> arguments_for_functions() {
    using limits = std::numeric_limits<T>;
    std::vector<T> x = {
        T(0),           -T(0),  T(1),          limits::infinity(),   -limits::infinity(), limits::max(),
        -limits::max(), T(0.5), limits::min(), limits::denorm_min(), -limits::min(),      limits::quiet_NaN()};
    std::mt19937_64 generator(3);
    std::uniform_real_distribution<T> uniform(-1, 1), exponent(-30, 10);
    while (x.size() < 2048) {
        x.push_back(uniform(generator) * 20);
        x.push_back(std::copysign(std::exp2(exponent(generator)), uniform(generator)));
    }
    return x;
}

template <typename T>
void expect_bits(T got, T expected, const std::string &what) {
    if (std::isnan(got) && std::isnan(expected)) return;
    EXPECT_EQ(std::memcmp(&got, &expected, sizeof(T)), 0) << what << ": " << got << ", not " << expected;
}

// A loop over whole vectors: out = program(in), alpha and beta behind the end of in.
template <isa I, typename T>
auto compiled(const recording &program, int registers) {
    using vmm = typename impl::jit::vector_traits<I>::vmm;
    using code = impl::jit::recorded_code<I, T>;
    return [&program, registers](Xbyak::CodeGenerator &g) {
        std::vector<int> free;
        for (int i = 0; i < registers; ++i) free.push_back(15 - i);
        code emitted(g, program, free, 0);
        Xbyak::Label next;
        g.lea(g.r8, g.ptr[g.rdi + g.rdx * int(sizeof(T))]);
        g.sub(g.rsp, code::FRAME_BYTES + 8);
        g.L(next);
        g.vmovups(vmm(0), g.ptr[g.rdi]);
        emitted.emit(vmm(0), [&](const impl::jit::step &s, const vmm &v) {
            impl::jit::vector_ops<T>(g).broadcast(v, g.ptr[g.r8 + int(s.detail * sizeof(T))]);
        });
        g.vmovups(g.ptr[g.rsi], vmm(0));
        g.add(g.rdi, impl::jit::vector_traits<I>::bytes);
        g.add(g.rsi, impl::jit::vector_traits<I>::bytes);
        g.sub(g.rdx, impl::jit::VECTOR_WIDTH<I, T>);
        g.jnz(next, Xbyak::CodeGenerator::T_NEAR);
        g.add(g.rsp, code::FRAME_BYTES + 8);
        g.vzeroupper();
        g.ret();
        emitted.emit_constants();
    };
}

TYPED_TEST(recorded_code, eltwise_functions) {
    using T = typename TestFixture::compute_type;
    const T alpha = T(0.375), beta = T(1.25);
    std::vector<T> in = arguments_for_functions<T>();
    const size_t count = in.size();
    in.insert(in.end(), {alpha, beta});
    for (auto alg : impl::ELTWISE_ALGORITHMS)
        for (bool leaky : {false, true}) {
            recording program;
            const auto source = [&](operation what, uint64_t i) {
                return recorded_number<T>(recorded{&program, program.append({what, -1, -1, -1, i})});
            };
            const auto x = source(operation::input, 0), a = source(operation::parameter, 0),
                       b = source(operation::parameter, 1);
            impl::math::visit_eltwise<recorded_number<T>>(
                alg, leaky, a, b, [&](auto function) { program.result = function(x).value.index; });
            for (int registers : {6, 8, 12}) {
                const small_function run(compiled<TestFixture::I, T>(program, registers));
                std::vector<T> out(count);
                run(in.data(), out.data(), int64_t(count));
                impl::math::visit_eltwise<T>(alg, leaky, alpha, beta, [&](auto function) {
                    for (size_t i = 0; i < count; ++i)
                        expect_bits(out[i], T(function(in[i])),
                                    "alg " + std::to_string(alg) + " of " + std::to_string(in[i]));
                });
                if (TestFixture::HasFailure()) return;
            }
        }
}

// Values that stay needed while others are computed wait in the frame.
TYPED_TEST(recorded_code, more_values_than_registers) {
    using T = typename TestFixture::compute_type;
    const auto many = [](auto x) {
        using V = decltype(x);
        const V a = x + V(T(1)), b = x * a, c = b - x, d = c * b, e = d + a, f = e * c, g = f - d, h = g * e;
        return fma(a, b, fma(c, d, fma(e, f, fma(g, h, a + h)))) - (b + d) * (f + h);
    };
    recording program;
    const recorded_number<T> x(recorded{&program, program.append({operation::input})});
    program.result = many(x).value.index;
    const small_function run(compiled<TestFixture::I, T>(program, 6));
    std::vector<T> in(64), out(64);
    for (size_t i = 0; i < in.size(); ++i) in[i] = T(i) / 64 - T(0.4);
    run(in.data(), out.data(), int64_t(in.size()));
    using impl::math::fma;
    for (size_t i = 0; i < in.size(); ++i) {
        const T y = in[i];
        const T a = y + T(1), b = y * a, c = b - y, d = c * b, e = d + a, f = e * c, g = f - d, h = g * e;
        expect_bits(out[i], T(fma(a, b, fma(c, d, fma(e, f, fma(g, h, a + h)))) - (b + d) * (f + h)), "many");
    }
}

} // namespace
} // namespace jitnorm::tests
