// SPDX-License-Identifier: Apache-2.0
// trace_codegen: emits the instructions of a trace, with the registers that it is given. A result stays in a register
// from its step to the last step that uses it. Constants and parameters are broadcast again wherever they are used,
// since registers are scarcer than loads. When no register is free, the result whose next use is farthest away is moved
// to the stack frame.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../kernel_generator.hpp"
#include "trace.hpp"

namespace jitnorm::impl::jit {

class trace_codegen {
    static constexpr int NOWHERE = -1, FRAME_SLOTS = 16;
    struct operation_of_two {
        operation what;
        void (vector_ops::*emit)(const vmm &, const vmm &, const vmm &) const;
    };
    static constexpr operation_of_two OF_TWO[] = {{operation::add, &vector_ops::add},
                                                  {operation::sub, &vector_ops::sub},
                                                  {operation::mul, &vector_ops::mul},
                                                  {operation::div, &vector_ops::div},
                                                  {operation::maximum, &vector_ops::max},
                                                  {operation::minimum, &vector_ops::min},
                                                  {operation::bit_and, &vector_ops::bit_and},
                                                  {operation::bit_or, &vector_ops::bit_or},
                                                  {operation::bit_xor, &vector_ops::bit_xor},
                                                  {operation::integer_add, &vector_ops::integer_add},
                                                  {operation::integer_sub, &vector_ops::integer_sub}};

public:
    // Emits the load of an operand, or the broadcast of a parameter, to the register.
    using load_source = const std::function<void(const step &, const vmm &)> &;

    // This object may change these registers, of which there are at least six, and with AVX-512 the masks TRACE_MASKS.
    trace_codegen(kernel_generator &g, const trace &program, std::vector<int> registers)
        : g_(g), steps_(program.steps), result_(size_t(program.result)), registers_(std::move(registers)),
          frame_(g.reserve(FRAME_SLOTS * g.kind.bytes())), last_use_(find_last_uses()) {}

    // Emits x = program(x).
    void emit(const vmm &x, load_source load) {
        start(x);
        for (now_ = 0; now_ < steps_.size(); ++now_)
            if (last_use_[now_] >= 0) emit_step(load);
        const int result = fetch_result(int(result_));
        if (result != x.getIdx()) g_.vmovaps(x, g_.vector(result));
    }

private:
    static bool is_remade(operation what) { return what == operation::constant || what == operation::parameter; }
    static bool gives_mask(operation what) { return what == operation::compare || what == operation::integer_greater; }
    static bool takes(const step &s, size_t i) { return std::ranges::count(s.from, int(i)) != 0; }

    // A source of the current step: the number of its register, and whether this step is its last use.
    struct source {
        int index = NOWHERE;
        bool dies = false;
    };
    using sources = std::array<source, 3>; // a, b and c

    // For each step the number of the last step that uses its result; -1 if no step does.
    std::vector<int> find_last_uses() const {
        std::vector<int> last(steps_.size(), -1);
        last[result_] = int(steps_.size());
        for (auto i = int(steps_.size()) - 1; i >= 0; --i) {
            if (last[size_t(i)] < 0) continue;
            for (int taken : steps_[size_t(i)].from)
                if (taken >= 0) last[size_t(taken)] = std::max(last[size_t(taken)], i);
        }
        return last;
    }

    void start(const vmm &x) {
        free_ = registers_;
        free_masks_.assign(std::begin(TRACE_MASKS), std::end(TRACE_MASKS));
        place_.assign(steps_.size(), NOWHERE);
        slot_.assign(steps_.size(), NOWHERE);
        free_slots_.resize(FRAME_SLOTS);
        std::iota(free_slots_.rbegin(), free_slots_.rend(), 0);
        for (size_t i = 0; i < steps_.size(); ++i)
            if (steps_[i].what == operation::input) place_[i] = x.getIdx();
    }
    bool lives_in_opmask(operation what) const { return g_.kind.is_avx512() && gives_mask(what); }

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
            g_.vmovups(frame_slot(slot_[chosen]), g_.vector(place_[chosen]));
        }
        free_.push_back(place_[chosen]);
        place_[chosen] = NOWHERE;
    }

    Xbyak::Address frame_slot(int slot) const { return g_.ptr[g_.rsp + frame_ + slot * g_.kind.bytes()]; }
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
            g_.vmovups(g_.vector(place_[i]), frame_slot(slot_[i]));
        }
        return place_[i];
    }

    source fetch(int of, load_source load) {
        if (of < 0) return {};
        const step &s = steps_[size_t(of)];
        if (!is_remade(s.what)) return {fetch_result(of), last_use_[size_t(of)] == int(now_)};
        const vmm v = g_.vector(take_register());
        if (s.what == operation::constant)
            g_.ops.broadcast(v, g_.ptr[g_.constant(s.detail, g_.kind.element())]);
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

    void emit_step(load_source load) {
        const step &s = steps_[now_];
        if (is_remade(s.what) || s.what == operation::input) return;
        if (s.what == operation::operand) {
            place_[now_] = take_register();
            return load(s, g_.vector(place_[now_]));
        }
        sources from;
        for (size_t i = 0; i < from.size(); ++i) {
            const auto same = size_t(std::ranges::find(s.from, s.from[i]) - s.from.begin());
            // A source that occurs twice is released once.
            from[i] = same < i ? source{from[same].index} : fetch(s.from[i], load);
        }
        if (s.what == operation::fma) {
            const int result = place_[now_] = emit_fma(from);
            for (size_t i = 0; i < from.size(); ++i)
                from[i].index == result ? forget(size_t(s.from[i])) : release(from[i], s.from[i]);
        } else {
            for (size_t i = 0; i < from.size(); ++i) release(from[i], s.from[i]);
            place_[now_] = take_for(s.what);
            emit_plain(s, place_[now_], from);
        }
    }

    // The instruction overwrites one of its sources. That is one that is not used later, if there is such a source;
    // otherwise c is copied first.
    int emit_fma(const sources &from) {
        const auto &[a, b, c] = from;
        const vmm va = g_.vector(a.index), vb = g_.vector(b.index), vc = g_.vector(c.index);
        if (a.dies && b.index != a.index && c.index != a.index) {
            g_.ops.fma213(va, vb, vc);
            return a.index;
        }
        if (b.dies && c.index != b.index) {
            g_.ops.fma213(vb, va, vc);
            return b.index;
        }
        if (c.dies) {
            g_.ops.fma231(vc, va, vb);
            return c.index;
        }
        const vmm result = g_.vector(take_register());
        g_.vmovaps(result, vc);
        g_.ops.fma231(result, va, vb);
        return result.getIdx();
    }

    void emit_plain(const step &s, int result, const sources &from) {
        const vmm to = g_.vector(result), va = g_.vector(from[0].index), vb = g_.vector(std::max(from[1].index, 0));
        const auto *const of_two = std::ranges::find(OF_TWO, s.what, &operation_of_two::what);
        if (of_two != std::end(OF_TWO)) return (g_.ops.*of_two->emit)(to, va, vb);
        switch (s.what) {
        case operation::square_root:
            return g_.ops.sqrt(to, va);
        case operation::shift_left:
            return g_.ops.shift_left(to, va, uint8_t(s.detail));
        case operation::shift_right:
            return g_.ops.shift_right(to, va, uint8_t(s.detail));
        case operation::halve:
            return g_.vpsrad(to, va, 1); // shifts 32 bits at a time, which is right for small 64-bit numbers, too
        default:
            return emit_masked(s, result, from[0].index, from[1].index, from[2].index);
        }
    }

    // Comparisons, which make masks, and selections, which use them.
    void emit_masked(const step &s, int result, int a, int b, int c) {
        const auto emit_with = [&](const auto &mask_of) {
            if (s.what == operation::compare)
                g_.ops.compare(mask_of(result), g_.vector(a), g_.vector(b), uint8_t(s.detail));
            else if (s.what == operation::integer_greater)
                g_.ops.integer_greater(mask_of(result), g_.vector(a), g_.vector(b));
            else // select
                g_.ops.blend(g_.vector(result), g_.vector(c), g_.vector(b), mask_of(a));
        };
        if (g_.kind.is_avx512())
            emit_with([](int index) { return Xbyak::Opmask(index); });
        else
            emit_with([&](int index) { return g_.vector(index); });
    }

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
