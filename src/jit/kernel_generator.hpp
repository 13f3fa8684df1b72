// SPDX-License-Identifier: Apache-2.0
// kernel_generator: the base class of all generators of kernels. It has the buffer into which instructions are emitted
// (never executable), the calling convention, and seal(), which makes the finished code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <xbyak/xbyak.h>

#include "code.hpp"
#include "vector_traits.hpp"

namespace jitnorm::impl::jit {

constexpr size_t MAX_KERNEL_BYTES = 4096; // enough for every kernel without a long chain of post-ops

// The buffer begins at a cache line, as the page does to which the code is copied, so that instructions that are
// aligned here are aligned there, too.
class kernel_buffer {
protected:
    static constexpr size_t LINE = 64;

    explicit kernel_buffer(size_t capacity) : bytes_(capacity + LINE) {}
    uint8_t *buffer() { return bytes_.data() + LINE - reinterpret_cast<uintptr_t>(bytes_.data()) % LINE; }

private:
    std::vector<uint8_t> bytes_;
};

// A kernel is a function void(const arguments *) in the System V calling convention. The pointer arrives in rdi. The
// kernel may change rax, rcx, rdx, rsi, rdi, r8 to r11 and all vector registers, and after open_frame(), which saves
// them, also rbx and r12 to r15.
class kernel_generator : private kernel_buffer, public Xbyak::CodeGenerator {
public:
    explicit kernel_generator(size_t capacity = MAX_KERNEL_BYTES);

    std::shared_ptr<const code> seal(const char *name) const;

protected:
    using reg = Xbyak::Reg64;
    using xmm_t = Xbyak::Xmm;
    using ymm_t = Xbyak::Ymm;

    // open_frame() reserves local_bytes at [rsp], aligned to 64. close_frame() emits the return. Each is called once.
    // Code that is emitted behind the return can only be reached by jumps from within the frame.
    void open_frame(uint32_t local_bytes);
    void close_frame();
};

// The address of a field of the argument block, before rdi changes. The generator must have a type `arguments`.
#define JITNORM_ARGUMENT(field) ptr[rdi + offsetof(arguments, field)]

} // namespace jitnorm::impl::jit
