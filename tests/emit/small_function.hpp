// SPDX-License-Identifier: Apache-2.0
// A function of a few emitted instructions, to run a single emitter on every kind of vectors.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "jit/emit/loops.hpp"

namespace jitnorm::tests {

using impl::jit::isa;
using impl::jit::kernel_generator;
using impl::jit::places;
using impl::jit::vector_kind;
using impl::jit::vmm;

// The body is emitted with rdi and rsi as the two pointer arguments, rdx as the count; rax, rcx, r8 to r11 are free.
class small_function : public kernel_generator {
public:
    explicit small_function(const std::function<void(kernel_generator &)> &body, const vector_kind &what = {})
        : kernel_generator(what) {
        body(*this);
        vzeroupper();
        ret();
        code_ = seal("small_function");
    }
    void operator()(const void *in, void *out, int64_t count) const {
        code_->entry<void(const void *, void *, int64_t)>()(in, out, count);
    }

private:
    std::shared_ptr<const impl::jit::code> code_;
};

constexpr vector_kind EVERY_KIND[] = {
    {isa::avx2, jitnorm_f32}, {isa::avx2, jitnorm_f64}, {isa::avx512, jitnorm_f32}, {isa::avx512, jitnorm_f64}};

// A test of an emitter for each kind of vectors.
class emitter : public testing::TestWithParam<vector_kind> {
public:
    static std::string name(const testing::TestParamInfo<vector_kind> &info) {
        return std::string(info.param.is_avx512() ? "avx512" : "avx2") + (info.param.is_f64() ? "_double" : "_float");
    }

protected:
    const vector_kind kind = GetParam();

    void SetUp() override {
        if (!impl::jit::is_allowed(kind.vectors)) GTEST_SKIP() << "this processor lacks the instruction set";
    }

    // A function of the kind.
    small_function function(const std::function<void(kernel_generator &)> &body) const {
        return small_function(body, kind);
    }

    // Calls body(T()) with a number of the compute type.
    template <typename Body>
    void with_number(Body &&body) const {
        kind.is_f64() ? body(double()) : body(float());
    }
};

// Instantiates a suite for every kind.
#define JITNORM_EVERY_KIND(suite) INSTANTIATE_TEST_SUITE_P(kinds, suite, testing::ValuesIn(EVERY_KIND), emitter::name)

} // namespace jitnorm::tests
