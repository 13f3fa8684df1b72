// SPDX-License-Identifier: Apache-2.0
// kernel_generator: alignments of generated code hold in the pages that it runs in; a register is handed out once.
#include <stdexcept>
#include <vector>

#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

TEST(kernel_generator, alignment_survives_sealing) {
    std::vector<std::vector<char>> between; // so that no two buffers lie alike
    for (size_t size = 1; size < 2000; size = size * 3 / 2 + 1) {
        between.emplace_back(size);
        const small_function where([](impl::jit::kernel_generator &g) {
            Xbyak::Label aligned;
            g.align(64);
            g.L(aligned);
            g.lea(g.rax, g.ptr[g.rip + aligned]);
            g.mov(g.ptr[g.rsi], g.rax);
        });
        uintptr_t address = 1;
        where(nullptr, &address, 0);
        EXPECT_EQ(address % 64, 0U);
    }
}

TEST(register_set, hands_out_each_register_once) {
    for (const vector_kind &kind : EVERY_KIND) {
        impl::jit::register_set set(kind);
        const std::vector<vmm> some = set.take_vectors(3);
        EXPECT_EQ(some[2].getIdx(), 2);
        EXPECT_EQ(some[2].getBit(), unsigned(8 * kind.bytes()));
        EXPECT_THROW(set.take_vector(2), std::logic_error);
        set.give_back(std::span(some).last(1));
        EXPECT_EQ(set.take_vector(2).getIdx(), 2);
        EXPECT_EQ(int(set.free_vectors().size()), kind.registers() - 3);
        EXPECT_EQ(int(set.take_vectors(kind.registers() - 3).size()), kind.registers() - 3);
        EXPECT_THROW(set.take_vector(), std::logic_error);
        EXPECT_EQ(set.take(Xbyak::util::r9).getIdx(), Xbyak::util::r9.getIdx());
        EXPECT_THROW(set.take(Xbyak::util::r9), std::logic_error);
        EXPECT_THROW(set.take(Xbyak::util::rsp), std::logic_error);
    }
}

// A detour is after the return; the constants, each once, are after the detours.
TEST(kernel_generator, has_detours_and_constants) {
    const small_function chosen([](impl::jit::kernel_generator &g) {
        auto &rare = g.rarely([&g] { g.mov(g.rax, g.ptr[g.constant(7, 8)]); });
        g.mov(g.rax, g.ptr[g.constant(5, 8)]);
        g.test(g.rdx, g.rdx);
        g.jnz(rare.begin, Xbyak::CodeGenerator::T_NEAR);
        g.L(rare.end);
        g.add(g.rax, g.ptr[g.constant(5, 8)]);
        g.mov(g.ptr[g.rsi], g.rax);
    });
    for (const int64_t rare : {0, 1}) {
        int64_t got = 0;
        chosen(nullptr, &got, rare);
        EXPECT_EQ(got, rare != 0 ? 12 : 10);
    }
}

} // namespace
} // namespace jitnorm::tests
