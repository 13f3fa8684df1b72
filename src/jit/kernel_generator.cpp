// SPDX-License-Identifier: Apache-2.0
// These functions are not in the header, so that compilers work on them once: Xbyak's generator has some three hundred
// members.
#include "kernel_generator.hpp"

#include <span>

namespace jitnorm::impl::jit {

kernel_generator::kernel_generator(size_t capacity)
    : kernel_buffer(capacity), Xbyak::CodeGenerator(capacity, buffer()) {
    endbr64(); // a process with control-flow enforcement may call the entry; no kernel jumps through a register
}

std::shared_ptr<const code> kernel_generator::seal(const char *name) const {
    return std::make_shared<const code>(std::span(getCode(), getSize()), name);
}

void kernel_generator::open_frame(uint32_t local_bytes) {
    push(rbp);
    mov(rbp, rsp); // profilers that follow frame pointers need this
    for (const reg &saved : {rbx, r12, r13, r14, r15}) push(saved);
    sub(rsp, local_bytes + 64);
    and_(rsp, -64);
}

void kernel_generator::close_frame() {
    lea(rsp, ptr[rbp - 5 * 8]);
    for (const reg &saved : {r15, r14, r13, r12, rbx}) pop(saved);
    vzeroupper();
    pop(rbp);
    ret();
}

} // namespace jitnorm::impl::jit
