// SPDX-License-Identifier: Apache-2.0
// short_normalize: the part of a normalize_kernel for rows of a few vectors. Scale and shift stay in registers, and the
// code for a row has no loop. It is for elements of the compute type, without attributes.
#pragma once

#include "../emit/centered_load.hpp"
#include "../emit/line_hints.hpp"
#include "../emit/scale_shift.hpp"
#include "normalize_kernel.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class short_normalize {
    using vmm = typename vector_traits<I>::vmm;
    using reg = Xbyak::Reg64;
    using generator = Xbyak::CodeGenerator;
    using arguments = normalize_arguments<T>;
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;
    static constexpr int VECTORS = 4; // the most vectors of a row
    // How far ahead of stores their cache lines are prefetched, in bytes. It is more than for longer rows, because a
    // short row is finished before a nearer line would have arrived.
    static constexpr int CLAIMED = 2048;
    static constexpr int WORK = 3, SCALE = WORK + VECTORS, SHIFT = SCALE + VECTORS; // VECTORS registers each

public:
    static constexpr int MASK = SHIFT + VECTORS - 1; // the vector register that is left to the tail's mask

    static bool takes(const normalize_conf &conf) {
        return conf.src == OWN && conf.dst == OWN && conf.scale_shift == OWN && !conf.src_scale && !conf.dst_scale &&
               !conf.non_temporal && conf.post_ops.empty() && conf.unquantized == jitnorm_data_type_undef;
    }

    // `count` holds the number of elements of a row, rdi the address of the arguments.
    short_normalize(generator &g, const normalize_conf &conf, tail_mask<I, T> &tail, plus_one<I, T> &one,
                    const reg &count)
        : g_(g), tail_(tail), one_(one), conf_(conf), count_(count) {}

    // Emits code that does all rows and jumps to `done` if they are short enough, and otherwise changes nothing.
    void emit(const reg &scale, const reg &shift, Xbyak::Label &done) {
        Xbyak::Label longer;
        g_.cmp(count_, VECTORS * VECTOR_WIDTH<I, T>);
        g_.ja(longer, generator::T_NEAR);
        load_arguments();
        walker_.walk_straight(VECTORS, done, [&](places vectors) {
            affine_.load(vectors, scale, shift);
            normalize_rows(vectors);
        });
        g_.L(longer);
    }

private:
    // The index runs from minus the number of rows to zero.
    void load_arguments() {
        const auto load = [&](const reg &to, size_t field) { g_.mov(to, g_.ptr[g_.rdi + field]); };
        load(src_, offsetof(arguments, src));
        load(dst_, offsetof(arguments, dst));
        load(src_stride_, offsetof(arguments, src_row_stride));
        load(dst_stride_, offsetof(arguments, dst_row_stride));
        load(index_, offsetof(arguments, rows));
        load(hi_, offsetof(arguments, hi));
        load(rstd_, offsetof(arguments, rstd));
        load(bias_, offsetof(arguments, bias));
        for (const reg &numbers : {hi_, rstd_, bias_}) g_.lea(numbers, g_.ptr[numbers + index_ * int(sizeof(T))]);
        g_.mov(ahead_, src_stride_); // the next batch is always prefetched, whatever the plan: here this takes no time
        g_.imul(ahead_, index_);
        g_.neg(index_);
    }

    void normalize_rows(places vectors) {
        Xbyak::Label next;
        g_.L(next);
        normalize_row(vectors);
        g_.add(src_, src_stride_);
        g_.add(dst_, dst_stride_);
        g_.inc(index_);
        g_.jnz(next, generator::T_NEAR);
    }

    void normalize_row(places vectors) {
        const vmm hi(0), rstd(1), bias(2);
        const auto broadcast = [&](const vmm &to, const reg &numbers) {
            ops_.broadcast(to, g_.ptr[numbers + index_ * int(sizeof(T))]);
        };
        broadcast(hi, hi_);
        broadcast(rstd, rstd_);
        broadcast(bias, bias_);
        hints_.prefetch(src_ + ahead_, vectors, OWN);
        hints_.claim(dst_, vectors, OWN, CLAIMED);
        for (const place &p : vectors) {
            difference_.emit(work(p), hi, src_, p);
            ops_.negated_fma213(work(p), rstd, bias);
            affine_.apply(work(p), p);
        }
        for (const place &p : vectors) io_.store(dst_, p, work(p), OWN, false);
    }

    static vmm work(const place &p) { return vmm(WORK + p.slot); }
    static std::vector<vmm> affine_registers(bool wanted, int first) {
        std::vector<vmm> registers;
        for (int i = 0; wanted && i < VECTORS; ++i) registers.emplace_back(first + i == MASK ? MASK + 1 : first + i);
        return registers;
    }

    generator &g_;
    tail_mask<I, T> &tail_;
    plus_one<I, T> &one_;
    const normalize_conf &conf_;
    const reg count_;
    const reg src_{Xbyak::Operand::RSI}, dst_{Xbyak::Operand::RDX}, index_{Xbyak::Operand::R12};
    const reg hi_{Xbyak::Operand::R8}, rstd_{Xbyak::Operand::R13}, bias_{Xbyak::Operand::RBX};
    const reg src_stride_{Xbyak::Operand::RAX}, dst_stride_{Xbyak::Operand::R15}, ahead_{Xbyak::Operand::R14};
    vector_ops<T> ops_{g_};
    row_walker<I, T> walker_{g_, count_};
    element_io<I, T> io_{g_, tail_, walker_, reg(Xbyak::Operand::R9)};
    line_hints<I, T> hints_{g_, walker_};
    centered_load<I, T> difference_{g_, io_, OWN, true};
    scale_shift<I, T> affine_{
        g_, io_, one_, OWN, affine_registers(conf_.scale, SCALE), affine_registers(conf_.shift, SHIFT)};
};

} // namespace jitnorm::impl::jit
