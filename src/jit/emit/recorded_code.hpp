// SPDX-License-Identifier: Apache-2.0
// recorded_code: emits the instructions of a recording, with the registers that it is given. A result stays in a
// register from its step to the last step that uses it. Constants and parameters are broadcast again wherever they are
// used, since registers are scarcer than loads. When no register is free, the result whose next use is farthest away is
// moved to the stack frame.
#pragma once

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "constant_pool.hpp"
#include "recording.hpp"
#include "vector_ops.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class recorded_code {
    using vmm = typename vector_traits<I>::vmm;
    static constexpr int NOWHERE = -1;
    using mask = std::conditional_t<I == isa::avx512, Xbyak::Opmask, vmm>;

public:
    static constexpr int FRAME_SLOTS = 16;
    static constexpr uint32_t FRAME_BYTES = FRAME_SLOTS * vector_traits<I>::bytes;

    // This object may change these registers, of which there are at least six, with AVX-512 the masks k3 to k7, and
    // FRAME_BYTES at [rsp + frame].
    recorded_code(Xbyak::CodeGenerator &g, const recording &program, std::vector<int> registers, int frame)
        : g_(g), ops_(g), constants_(g), steps_(program.steps), result_(size_t(program.result)),
          registers_(std::move(registers)), frame_(frame), last_use_(find_last_uses()) {}

    // Emits x = program(x). Calls load(step, register) to emit the load of an operand or the broadcast of a parameter.
    template <typename Load>
    void emit(const vmm &x, Load &&load) {
        start(x);
        for (now_ = 0; now_ < steps_.size(); ++now_)
            if (last_use_[now_] >= 0) emit_step(load);
        const int result = fetch_result(int(result_));
        if (result != x.getIdx()) g_.vmovaps(x, vmm(result));
    }

    void emit_constants() { constants_.emit(); }

private:
    // For each step the number of the last step that uses its result; -1 if no step does.
    std::vector<int> find_last_uses() const {
        std::vector<int> last(steps_.size(), -1);
        last[result_] = int(steps_.size());
        for (auto i = int(steps_.size()) - 1; i >= 0; --i) {
            if (last[size_t(i)] < 0) continue;
            const step &s = steps_[size_t(i)];
            for (int taken : {s.a, s.b, s.c})
                if (taken >= 0) last[size_t(taken)] = std::max(last[size_t(taken)], i);
        }
        return last;
    }

    void start(const vmm &x) {
        free_ = registers_;
        free_masks_ = {7, 6, 5, 4, 3};
        place_.assign(steps_.size(), NOWHERE);
        slot_.assign(steps_.size(), NOWHERE);
        free_slots_.resize(FRAME_SLOTS);
        std::iota(free_slots_.rbegin(), free_slots_.rend(), 0);
        for (size_t i = 0; i < steps_.size(); ++i)
            if (steps_[i].what == operation::input) place_[i] = x.getIdx();
    }

    static bool is_remade(operation what) { return what == operation::constant || what == operation::parameter; }
    static bool gives_mask(operation what) { return what == operation::compare || what == operation::integer_greater; }
    static bool lives_in_opmask(operation what) { return I == isa::avx512 && gives_mask(what); }

    // ---- registers

    int take_register() {
        if (free_.empty()) evict();
        const int index = free_.back();
        free_.pop_back();
        return index;
    }
    int take_for(operation what) {
        if (!lives_in_opmask(what)) return take_register();
        if (free_masks_.empty()) throw std::logic_error("generated code needs more masks than there are");
        const int index = free_masks_.back();
        free_masks_.pop_back();
        return index;
    }
    void give_back(int index, operation what) { (lives_in_opmask(what) ? free_masks_ : free_).push_back(index); }

    // Moves the result whose next use is farthest away to the frame. It stays there until its last use: since results
    // do not change, it is stored once.
    void evict() {
        size_t chosen = steps_.size();
        size_t chosen_use = 0;
        for (size_t i = 0; i < steps_.size(); ++i) {
            if (place_[i] == NOWHERE || lives_in_opmask(steps_[i].what) || is_source_now(i)) continue;
            if (const size_t use = next_use(i); use >= chosen_use) {
                chosen = i;
                chosen_use = use;
            }
        }
        if (chosen == steps_.size()) throw std::logic_error("generated code needs more registers than there are");
        if (slot_[chosen] == NOWHERE) {
            if (free_slots_.empty()) throw std::logic_error("generated code needs more of the frame than there is");
            slot_[chosen] = free_slots_.back();
            free_slots_.pop_back();
            g_.vmovups(g_.ptr[g_.rsp + frame_at(slot_[chosen])], vmm(place_[chosen]));
        }
        free_.push_back(place_[chosen]);
        place_[chosen] = NOWHERE;
    }
    int frame_at(int slot) const { return frame_ + slot * vector_traits<I>::bytes; }

    bool takes(const step &s, size_t i) const { return s.a == int(i) || s.b == int(i) || s.c == int(i); }
    bool is_source_now(size_t i) const { return now_ < steps_.size() && takes(steps_[now_], i); }
    size_t next_use(size_t i) const {
        for (size_t later = now_ + 1; later < steps_.size(); ++later)
            if (last_use_[later] >= 0 && takes(steps_[later], i)) return later;
        return steps_.size();
    }

    int fetch_result(int of) {
        const auto i = size_t(of);
        if (place_[i] == NOWHERE) {
            place_[i] = take_register();
            g_.vmovups(vmm(place_[i]), g_.ptr[g_.rsp + frame_at(slot_[i])]);
        }
        return place_[i];
    }

    // A source of the current step: the number of its register, and whether this step is its last use.
    struct source {
        int index = NOWHERE;
        bool dies = false;
    };

    template <typename Load>
    source fetch(int of, Load &load) {
        if (of < 0) return {};
        const step &s = steps_[size_t(of)];
        if (!is_remade(s.what)) return {fetch_result(of), last_use_[size_t(of)] == int(now_)};
        const vmm v(take_register());
        if (s.what == operation::constant)
            ops_.broadcast(v, g_.ptr[constants_.at(s.detail, sizeof(T))]);
        else
            load(s, v);
        return {v.getIdx(), true};
    }

    void release(const source &s, int of) {
        if (!s.dies) return;
        give_back(s.index, steps_[size_t(of)].what);
        forget(size_t(of));
    }
    void forget(size_t dead) {
        place_[dead] = NOWHERE;
        if (slot_[dead] != NOWHERE) free_slots_.push_back(slot_[dead]);
        slot_[dead] = NOWHERE;
    }

    // ---- instructions

    template <typename Load>
    void emit_step(Load &load) {
        const step &s = steps_[now_];
        if (is_remade(s.what) || s.what == operation::input) return;
        if (s.what == operation::operand) {
            place_[now_] = take_register();
            return load(s, vmm(place_[now_]));
        }
        // A source that occurs twice is released once.
        const source a = fetch(s.a, load);
        const source b = s.b == s.a ? source{a.index} : fetch(s.b, load);
        const source c = s.c == s.a ? source{a.index} : s.c == s.b ? source{b.index} : fetch(s.c, load);
        if (s.what == operation::fma) {
            const int result = emit_fma(a, b, c);
            const std::pair<source, int> sources[] = {{a, s.a}, {b, s.b}, {c, s.c}};
            for (const auto &[from, of] : sources) from.index == result ? forget(size_t(of)) : release(from, of);
            place_[now_] = result;
        } else {
            release(a, s.a);
            release(b, s.b);
            release(c, s.c);
            place_[now_] = take_for(s.what);
            emit_plain(s, place_[now_], a.index, b.index, c.index);
        }
    }

    // The instruction overwrites one of its sources. That is one that is not used later, if there is such a source;
    // otherwise c is copied first.
    int emit_fma(const source &a, const source &b, const source &c) {
        const vmm va(a.index), vb(b.index), vc(c.index);
        if (a.dies && b.index != a.index && c.index != a.index) {
            ops_.fma213(va, vb, vc);
            return a.index;
        }
        if (b.dies && c.index != b.index) {
            ops_.fma213(vb, va, vc);
            return b.index;
        }
        if (c.dies) {
            ops_.fma231(vc, va, vb);
            return c.index;
        }
        const vmm result(take_register());
        g_.vmovaps(result, vc);
        ops_.fma231(result, va, vb);
        return result.getIdx();
    }

    void emit_plain(const step &s, int result, int a, int b, int c) {
        const vmm to(result), va(a), vb(b < 0 ? 0 : b);
        switch (s.what) {
        case operation::add:
            return ops_.add(to, va, vb);
        case operation::sub:
            return ops_.sub(to, va, vb);
        case operation::mul:
            return ops_.mul(to, va, vb);
        case operation::div:
            return ops_.div(to, va, vb);
        case operation::maximum:
            return ops_.max(to, va, vb);
        case operation::minimum:
            return ops_.min(to, va, vb);
        case operation::square_root:
            return ops_.sqrt(to, va);
        case operation::bit_and:
            return ops_.bit_and(to, va, vb);
        case operation::bit_or:
            return ops_.bit_or(to, va, vb);
        case operation::bit_xor:
            return ops_.bit_xor(to, va, vb);
        case operation::integer_add:
            return ops_.integer_add(to, va, vb);
        case operation::integer_sub:
            return ops_.integer_sub(to, va, vb);
        case operation::shift_left:
            return ops_.shift_left(to, va, uint8_t(s.detail));
        case operation::shift_right:
            return ops_.shift_right(to, va, uint8_t(s.detail));
        case operation::halve:
            return g_.vpsrad(to, va, 1); // shifts 32 bits at a time, which is right for small 64-bit numbers, too
        case operation::compare:
            return ops_.compare(mask(result), va, vb, uint8_t(s.detail));
        case operation::integer_greater:
            return ops_.integer_greater(mask(result), va, vb);
        default: // select
            return emit_select(to, mask(a), vb, vmm(c));
        }
    }

    void emit_select(const vmm &to, const mask &condition, const vmm &yes, const vmm &no) {
        if constexpr (I == isa::avx512)
            ops_.blend_masked(to | condition, no, yes);
        else
            ops_.blend(to, no, yes, condition);
    }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    constant_pool constants_;
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
