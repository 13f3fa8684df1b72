// SPDX-License-Identifier: Apache-2.0
// trace_codegen: emits the instructions of a trace, with the registers that it is given. A result stays in a register
// from its step to the last step that uses it. Constants and parameters are broadcast again wherever they are used,
// since registers are scarcer than loads. When no register is free, the result whose next use is farthest away is moved
// to the stack frame.
#pragma once

#include <utility>
#include <vector>

#include "../kernel_generator.hpp"
#include "trace.hpp"

namespace jitnorm::impl::jit {

class trace_codegen {
    static constexpr int NOWHERE = -1, FRAME_SLOTS = 16;

public:
    // Emits the load of an operand, or the broadcast of a parameter, to the register.
    using load_source = function_ref<void(const step &, const vmm &)>;

    static int frame_bytes(const vector_kind &kind) { return FRAME_SLOTS * kind.bytes(); }

    // This object may change these registers, of which there are at least six, with AVX-512 the masks TRACE_MASKS, and
    // frame_bytes() at [rsp + frame].
    trace_codegen(kernel_generator &g, const trace &program, std::vector<int> registers, int frame)
        : g_(g), steps_(program.steps), result_(size_t(program.result)), registers_(std::move(registers)),
          frame_(frame), last_use_(find_last_uses()) {}

    // Emits x = program(x).
    void emit(const vmm &x, load_source load);

private:
    // A source of the current step: the number of its register, and whether this step is its last use.
    struct source {
        int index = NOWHERE;
        bool dies = false;
    };

    std::vector<int> find_last_uses() const;
    void start(const vmm &x);
    bool lives_in_opmask(operation what) const;
    int take_register();
    int take_for(operation what);
    void give_back(int index, operation what);
    void evict();
    Xbyak::Address frame_slot(int slot) const;
    bool is_source_now(size_t i) const;
    size_t next_use(size_t i) const;
    int fetch_result(int of);
    source fetch(int of, load_source load);
    void release(const source &s, int of);
    void forget(size_t dead);
    void emit_step(load_source load);
    int emit_fma(const source &a, const source &b, const source &c);
    void emit_plain(const step &s, int result, int a, int b, int c);
    void emit_masked(const step &s, int result, int a, int b, int c);

    kernel_generator &g_;
    std::vector<step> steps_;
    size_t result_;
    std::vector<int> registers_;
    int frame_;
    std::vector<int> last_use_;

    // While code is emitted:
    size_t now_ = 0; // the current step
    std::vector<int> free_, free_masks_, free_slots_;
    std::vector<int> place_, slot_; // for each step's result its register and its place in the frame, or NOWHERE
};

} // namespace jitnorm::impl::jit
