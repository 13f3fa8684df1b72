// SPDX-License-Identifier: Apache-2.0
// kernel_generator: the ground a kernel is generated on: a plain buffer (never executable), the calling convention, and
// sealing into code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <xbyak/xbyak.h>

#include "code.hpp"
#include "inspection/frame_table.hpp"
#include "vector_traits.hpp"

namespace jitnorm::impl::jit {

constexpr size_t MAX_KERNEL_BYTES = 4096; // but for long chains of post-ops

// Begins at a whole cache line, as the page does that the code is copied to: then what is aligned here is aligned
// there.
class kernel_buffer {
protected:
    static constexpr size_t LINE = 64;

    explicit kernel_buffer(size_t capacity) : bytes_(capacity + LINE) {}
    uint8_t *buffer() { return bytes_.data() + LINE - reinterpret_cast<uintptr_t>(bytes_.data()) % LINE; }

private:
    std::vector<uint8_t> bytes_;
};

// A kernel is void(const arguments *) in the System V convention: the pointer arrives in rdi, and rax, rcx, rdx, rsi,
// rdi, r8 to r11 and all vector registers are free to use; open_frame() saves rbx and r12 to r15 as well.
class kernel_generator : private kernel_buffer, public Xbyak::CodeGenerator {
public:
    explicit kernel_generator(size_t capacity = MAX_KERNEL_BYTES);

    std::shared_ptr<const code> seal(const char *name) const;

protected:
    using reg = Xbyak::Reg64;
    using xmm_t = Xbyak::Xmm;
    using ymm_t = Xbyak::Ymm;

    // Reserves local_bytes at [rsp], aligned to 64. There is one frame, closed once; what is emitted behind it is
    // jumped to from within.
    void open_frame(uint32_t local_bytes);
    void close_frame();

    const frame_table &frames() const { return frames_; }

private:
    frame_table frames_;
};

// Where a field of the argument block is, whose type a generator calls `arguments`.
#define JITNORM_ARGUMENT(field) ptr[rdi + offsetof(arguments, field)]

} // namespace jitnorm::impl::jit
