// SPDX-License-Identifier: Apache-2.0
// kernel_generator: what is aligned while code is generated stays aligned in the pages that the code runs in.
#include <vector>

#include "small_function.hpp"

namespace jitnorm::tests {
namespace {

TEST(kernel_generator, alignment_survives_sealing) {
    std::vector<std::vector<char>> between; // so that no two buffers lie alike
    for (size_t size = 1; size < 2000; size = size * 3 / 2 + 1) {
        between.emplace_back(size);
        const small_function where([](Xbyak::CodeGenerator &g) {
            Xbyak::Label aligned;
            g.align(64);
            g.L(aligned);
            g.lea(g.rax, g.ptr[g.rip + aligned]);
            g.mov(g.ptr[g.rsi], g.rax);
            g.ret();
        });
        uintptr_t address = 1;
        where(nullptr, &address, 0);
        EXPECT_EQ(address % 64, 0U);
    }
}

} // namespace
} // namespace jitnorm::tests
