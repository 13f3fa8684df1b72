// SPDX-License-Identifier: Apache-2.0
// A function of a few emitted instructions, to run one emitter alone.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "jit/isa.hpp"
#include "jit/kernel_generator.hpp"

namespace jitnorm::tests {

using impl::jit::isa;

// The body is emitted with rdi and rsi as the two pointer arguments, rdx as the count; rax, rcx, r8 to r11 are free.
class small_function : public impl::jit::kernel_generator {
public:
    explicit small_function(const std::function<void(Xbyak::CodeGenerator &)> &body) {
        body(*this);
        code_ = seal("small_function");
    }
    void operator()(const void *in, void *out, int64_t count) const {
        code_->entry<void(const void *, void *, int64_t)>()(in, out, count);
    }

private:
    std::shared_ptr<const impl::jit::code> code_;
};

template <isa I, typename T>
struct on {
    static constexpr isa value = I;
    using compute_type = T;
};
using every_isa_and_type =
    testing::Types<on<isa::avx2, float>, on<isa::avx2, double>, on<isa::avx512, float>, on<isa::avx512, double>>;

template <typename On>
class emitter : public testing::Test {
protected:
    static constexpr isa I = On::value;
    using compute_type = typename On::compute_type;
    static constexpr int WIDTH = impl::jit::VECTOR_WIDTH<I, compute_type>;
    using vmm = typename impl::jit::vector_traits<I>::vmm;

    void SetUp() override {
        if (!impl::jit::is_allowed(I)) GTEST_SKIP() << "this processor lacks the instruction set";
    }
};

} // namespace jitnorm::tests
