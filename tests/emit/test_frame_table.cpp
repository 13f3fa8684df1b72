// SPDX-License-Identifier: Apache-2.0
// frame_table: a processor that stops after each instruction of a kernel, and GCC's unwinder, which is given the table:
// at each it finds the caller, with the caller's registers.
#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include <ucontext.h>
#include <unwind.h>
#include <x86intrin.h>

#include "jit/kernel_generator.hpp"

extern "C" void __register_frame(void *);
extern "C" void __deregister_frame(void *);

namespace jitnorm::tests {
namespace {

using impl::jit::code;
using impl::jit::frame_table;

// The code and, behind it in the same pages, the table.
class framed_code : public impl::jit::kernel_generator {
public:
    // A kernel changes all registers that it may, and goes somewhere behind its return and back. Within it are that
    // many instructions that do nothing.
    explicit framed_code(size_t nothing, uint32_t local_bytes, bool has_frame = true)
        : impl::jit::kernel_generator(impl::jit::MAX_KERNEL_BYTES + nothing) {
        Xbyak::Label back, behind;
        if (has_frame) {
            open_frame(local_bytes);
            for (const reg &r : {rbx, r12, r13, r14, r15, rax, r11}) mov(r, 0x1234567);
            jmp(behind, T_NEAR);
            L(back);
        }
        for (size_t i = 0; i < nothing; ++i) nop();
        if (!has_frame) {
            ret();
            return;
        }
        close_frame();
        L(behind);
        xor_(ebx, ebx);
        jmp(back, T_NEAR);
    }

    size_t size() const { return getSize(); }

    std::vector<uint8_t> with_table() const {
        std::vector<uint8_t> all(getCode(), getCode() + getSize());
        all.resize(frame_table::offset_behind(all.size()));
        const auto table = frames().section(getSize());
        all.insert(all.end(), table.begin(), table.end());
        return all;
    }
};

// System V's registers that a function keeps: their numbers in DWARF and among those of a signal handler.
struct kept {
    int dwarf, greg;
};
constexpr std::array<kept, 6> KEPT{
    {{3, REG_RBX}, {6, REG_RBP}, {12, REG_R12}, {13, REG_R13}, {14, REG_R14}, {15, REG_R15}}};

struct call {
    uintptr_t begin, end;                        // of the code
    uintptr_t caller = 0, stack = 0;             // where it returns to, and rsp there
    std::array<uintptr_t, KEPT.size()> values{}; // of the registers there
    size_t steps = 0, right = 0;
};
call *watched = nullptr;

struct look {
    uintptr_t at;       // the instruction about to be executed
    bool found = false; // its frame; the caller's is next
    bool right = false;
};

_Unwind_Reason_Code compare(_Unwind_Context *frame, void *argument) {
    look &l = *static_cast<look *>(argument);
    if (!l.found) {
        l.found = _Unwind_GetIP(frame) == l.at;
        return _URC_NO_REASON;
    }
    l.right = _Unwind_GetIP(frame) == watched->caller && _Unwind_GetCFA(frame) == watched->stack;
    for (size_t i = 0; i < KEPT.size(); ++i)
        if (_Unwind_GetGR(frame, KEPT[i].dwarf) != watched->values[i]) l.right = false;
    return _URC_END_OF_STACK;
}

void after_each_instruction(int, siginfo_t *, void *context) {
    const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    const auto at = uintptr_t(registers[REG_RIP]);
    if (at < watched->begin || at >= watched->end) return;
    if (at == watched->begin) {
        watched->caller = *reinterpret_cast<const uintptr_t *>(registers[REG_RSP]);
        watched->stack = uintptr_t(registers[REG_RSP]) + sizeof(uintptr_t);
        for (size_t i = 0; i < KEPT.size(); ++i) watched->values[i] = uintptr_t(registers[KEPT[i].greg]);
    }
    look l{at};
    _Unwind_Backtrace(compare, &l);
    ++watched->steps;
    watched->right += l.right ? 1 : 0;
}

// Calls the code instruction by instruction.
call watch(const framed_code &generated) {
    constexpr unsigned long long TRAP = 0x100;
    const code pages(generated.with_table(), "framed");
    auto *begin = reinterpret_cast<unsigned char *>(pages.entry<void()>());
    call result{reinterpret_cast<uintptr_t>(begin), reinterpret_cast<uintptr_t>(begin) + generated.size()};
    watched = &result;
    void *table = begin + frame_table::offset_behind(generated.size());
    __register_frame(table);
    struct sigaction stepping = {}, before = {};
    stepping.sa_sigaction = after_each_instruction;
    stepping.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &stepping, &before);
    __writeeflags(__readeflags() | TRAP);
    pages.entry<void()>()();
    __writeeflags(__readeflags() & ~TRAP);
    sigaction(SIGTRAP, &before, nullptr);
    __deregister_frame(table);
    watched = nullptr;
    return result;
}

TEST(frame_table, tells_the_caller_at_each_instruction) {
    for (const size_t nothing : {0, 1, 40, 300}) // distances of one byte and of four
        for (const uint32_t local_bytes : {0U, 4096U}) {
            const call c = watch(framed_code(nothing, local_bytes));
            EXPECT_EQ(c.steps, nothing + 29) << nothing;
            EXPECT_EQ(c.right, c.steps) << nothing << " and " << local_bytes << " bytes";
        }
}

TEST(frame_table, knows_code_without_a_frame) {
    const call c = watch(framed_code(3, 0, false));
    EXPECT_EQ(c.steps, 5U);
    EXPECT_EQ(c.right, c.steps);
}

} // namespace
} // namespace jitnorm::tests
