// SPDX-License-Identifier: Apache-2.0
// kernel_generator: the base class of all generators of kernels, with all that emitters use: the buffer for the
// instructions (never executable), the kind of vectors and the operations on them, constants, code that is rarely
// executed, registers, and the calling convention. seal() makes the finished code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../base/bytes.hpp"
#include "kernel_cache.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

constexpr size_t MAX_KERNEL_BYTES = 8192;           // enough for a pass (room_for() in kernels/row_pass.hpp)
constexpr auto NEAR = Xbyak::CodeGenerator::T_NEAR; // a jump that may be longer than 127 bytes

// The buffer begins at a cache line, as the page does to which the code is copied, so that instructions that are
// aligned here are aligned there, too.
class kernel_buffer {
protected:
    explicit kernel_buffer(size_t capacity) : bytes_(size_with_alignment(capacity)) {}
    char *buffer() { return align_up(bytes_.data()); }

private:
    std::vector<char> bytes_;
};

// A kernel is a function void(arguments *) in the System V calling convention. The pointer arrives in rdi, and
// stays there. The kernel may change rax, rcx, rdx, rsi, r8 to r11 and all vector registers, and after open_frame(),
// which saves them, also rbx and r12 to r15.
class kernel_generator : private kernel_buffer, public Xbyak::CodeGenerator {
public:
    explicit kernel_generator(const vector_kind &what, size_t capacity = MAX_KERNEL_BYTES);

    const vector_kind kind;
    const vector_ops ops{*this, kind.is_f64()};
    register_set registers{kind};

    vmm vector(int index) const { return part_of(vmm(index), kind.bytes()); }
    // The part of a register that holds `width` elements of so many bytes, at least an xmm register.
    vmm elements(const vmm &v, int size) const { return part_of(v, kind.width() * size); }

    // Constants in memory, by their address or as operands: 1, 2, 4, ... words of 4 bytes, or a number of 4 or 8 bytes.
    // Each is stored once, after the code. Numbers have the compute type.
    Xbyak::RegRip constant(const std::vector<uint32_t> &words);
    Xbyak::RegRip constant(uint64_t bits, int size) {
        return size == 8 ? constant({uint32_t(bits), uint32_t(bits >> 32)}) : constant({uint32_t(bits)});
    }
    Xbyak::Address number(double value) { return ptr[constant(ops.bits_of(value), kind.element())]; }
    Xbyak::Address vector_of(double value); // a whole register of the number

    // Code that is rarely executed lies after the return. `body` emits it when the kernel is sealed; the caller emits
    // a jump to `begin` and places `end`, to which the code jumps back.
    struct detour {
        std::function<void()> body;
        Xbyak::Label begin, end;
    };
    detour &rarely(std::function<void()> body);

    // Reserves so many bytes of the frame, before open_frame(), and returns their distance from rsp.
    int reserve(int bytes) { return std::exchange(frame_bytes_, frame_bytes_ + bytes); }

    // The field of the block of arguments that is so many bytes after its start. No kernel changes rdi.
    Xbyak::Address argument(size_t field) const { return ptr[rdi + field]; }
    // In an array there, of elements of `size` bytes.
    Xbyak::RegExp element_of(size_t array, const reg &index, int size) const { return rdi + array + index * size; }

    // Emits detours and constants after the code and makes the finished kernel. Is called once.
    std::shared_ptr<const code> seal(const std::string &name);

protected:
    // open_frame() makes the frame, aligned to 64. close_frame() emits the return. Each is called once.
    void open_frame();
    void close_frame();

private:
    struct stored_words {
        std::vector<uint32_t> words;
        Xbyak::Label label;
    };
    std::list<stored_words> constants_; // lists, because labels must not move
    std::list<detour> detours_;
    int frame_bytes_ = 0;
};

// A field of the block of arguments, whose type must be called `arguments`.
#define JITNORM_ARGUMENT(field) argument(offsetof(arguments, field))
// A field that is an array of one number for each row.
#define JITNORM_ARRAY(field) offsetof(arguments, field)
// The first row and the stride of a strip there.
#define JITNORM_STRIP(field)                                                                                           \
    argument(offsetof(arguments, field) + offsetof(strip, first)),                                                     \
        argument(offsetof(arguments, field) + offsetof(strip, stride))

// A kernel's name for profilers: "jitnorm_<what>_<isa>", then "_double" if that is the compute type, the names of the
// data types, the words whose condition is true, and the names of the normalization's flags.
std::string kernel_name(const char *what, const vector_kind &kind, std::initializer_list<jitnorm_data_type_t> types,
                        std::initializer_list<std::pair<bool, const char *>> words = {}, unsigned flags = 0);

// What code_of() returns for kernels of a Generator, whose constructor generates the code.
template <typename Generator, typename Conf>
code_ptr make_kernel(const Conf &conf) {
    return find_or_generate(conf, [&] {
        Generator generator(conf);
        return generator.seal(generator.name());
    });
}

} // namespace jitnorm::impl::jit
