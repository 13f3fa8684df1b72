// SPDX-License-Identifier: Apache-2.0
// trace_codegen gives the bits of the traced function, with any number of registers.
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "jit/emit/trace_codegen.hpp"
#include "math/post_ops.hpp"
#include "norm/attributes.hpp"
#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

using impl::jit::operation;
using impl::jit::trace;
using impl::jit::traced;
using impl::jit::traced_number;

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

class trace_codegen : public emitter {
protected:
    // A loop over whole vectors: out = program(in), alpha and beta after the end of in.
    small_function compiled(const trace &program, int registers) const {
        return function([&](kernel_generator &g) {
            std::vector<int> free;
            for (int i = 0; i < registers; ++i) free.push_back(15 - i);
            impl::jit::trace_codegen emitted(g, program, free);
            const int frame = g.reserve(0) + 8;
            const vmm x = g.vector(0);
            Xbyak::Label next;
            g.lea(g.r8, g.ptr[g.rdi + g.rdx * g.kind.element()]);
            g.sub(g.rsp, frame);
            g.L(next);
            g.vmovups(x, g.ptr[g.rdi]);
            emitted.emit(x, [&](const impl::jit::step &s, const vmm &v) {
                g.ops.broadcast(v, g.ptr[g.r8 + int(s.detail) * g.kind.element()]);
            });
            g.vmovups(g.ptr[g.rsi], x);
            g.add(g.rdi, g.kind.bytes());
            g.add(g.rsi, g.kind.bytes());
            g.sub(g.rdx, g.kind.width());
            g.jnz(next, Xbyak::CodeGenerator::T_NEAR);
            g.add(g.rsp, frame);
        });
    }
};

TEST_P(trace_codegen, eltwise_functions) {
    with_number([&]<typename T>(T) {
        const T alpha = T(0.375), beta = T(1.25);
        std::vector<T> in = arguments_for_functions<T>();
        const size_t count = in.size();
        in.insert(in.end(), {alpha, beta});
        for (auto alg : impl::ELTWISE_ALGORITHMS)
            for (bool leaky : {false, true}) {
                trace program;
                const auto source = [&](operation what, uint64_t i) {
                    return traced_number<T>(traced{&program, program.append({.what = what, .detail = i})});
                };
                const auto x = source(operation::input, 0), a = source(operation::parameter, 0),
                           b = source(operation::parameter, 1);
                impl::math::visit_eltwise<traced_number<T>>(
                    alg, leaky, a, b, [&](auto function) { program.result = function(x).value.index; });
                for (int registers : {6, 8, 12}) {
                    const small_function run = compiled(program, registers);
                    std::vector<T> out(count);
                    run(in.data(), out.data(), int64_t(count));
                    impl::math::visit_eltwise<T>(alg, leaky, alpha, beta, [&](auto function) {
                        for (size_t i = 0; i < count; ++i)
                            expect_bits(out[i], T(function(in[i])),
                                        "alg " + std::to_string(alg) + " of " + std::to_string(in[i]));
                    });
                    if (HasFailure()) return;
                }
            }
    });
}

// Values that stay needed while others are computed wait in the frame; an fma may not overwrite them either.
TEST_P(trace_codegen, more_values_than_registers) {
    with_number([&]<typename T>(T) {
        const auto many = [](auto x) {
            using V = decltype(x);
            using impl::math::fma;
            const V a = x + V(T(1)), b = x * a, c = b - x, d = c * b, e = d + a, f = fma(e, c, d), g = f - d, h = g * e;
            return fma(a, b, fma(c, d, fma(e, f, fma(g, h, a + h)))) - (b + d) * (f + h);
        };
        trace program;
        const traced_number<T> x(traced{&program, program.append({.what = operation::input})});
        program.result = many(x).value.index;
        const small_function run = compiled(program, 6);
        std::vector<T> in(64), out(64);
        for (size_t i = 0; i < in.size(); ++i) in[i] = T(i) / 64 - T(0.4);
        run(in.data(), out.data(), int64_t(in.size()));
        for (size_t i = 0; i < in.size(); ++i) expect_bits(out[i], T(many(in[i])), "many");
    });
}

JITNORM_EVERY_KIND(trace_codegen);

} // namespace
} // namespace jitnorm::tests
