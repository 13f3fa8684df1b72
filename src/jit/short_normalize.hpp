// SPDX-License-Identifier: Apache-2.0
// short_normalize: the part of a normalize_kernel that takes rows of a few vectors: scale and shift stay in registers,
// and each row is straight code. For elements of the compute type, without attributes.
#pragma once

#include "emit/cache_lines.hpp"
#include "emit/short_rows.hpp"
#include "emit/tail_mask.hpp"
#include "normalize_kernel.hpp"

namespace jitnorm::impl::jit {

template <isa I, typename T>
class short_normalize {
    using vmm = typename vector_traits<I>::vmm;
    using reg = Xbyak::Reg64;
    using arguments = normalize_arguments<T>;
    static constexpr int VECTORS = 4; // at the most
    // How far ahead of stores lines are claimed, in bytes: short rows are done before a line so near would have come.
    static constexpr int CLAIMED = 2048;

public:
    static constexpr int MASK = 3 + 3 * VECTORS - 1; // the vector register that is left to the tail's mask

    static bool takes(const normalize_conf &conf) {
        constexpr jitnorm_data_type_t own = data_type_of<T>;
        return conf.src == own && conf.dst == own && conf.scale_shift == own && !conf.src_scale && !conf.dst_scale &&
               !conf.non_temporal && conf.post_ops.empty();
    }

    short_normalize(Xbyak::CodeGenerator &g, const normalize_conf &conf, tail_mask<I, T> &tail)
        : g_(g), ops_(g), tail_(tail), conf_(conf) {}

    // Emits code that jumps to `done` if it takes rows of `count` elements; otherwise nothing has happened. Overwrites
    // rax, rbx, rdx, rsi, r8, r9, r12 to r15; rdi has the arguments.
    void emit(const reg &count, Xbyak::Label &done) {
        Xbyak::Label longer;
        g_.cmp(count, VECTORS * VECTOR_WIDTH<I, T>);
        g_.ja(longer, Xbyak::CodeGenerator::T_NEAR);
        load_arguments();
        emit_by_length<I, T>(g_, count, VECTORS, done, [&](places vectors) { normalize_rows(vectors); });
        g_.L(longer);
    }

private:
    void load_arguments() {
        const auto load = [&](const reg &to, size_t field) { g_.mov(to, g_.ptr[g_.rdi + field]); };
        load(src_, offsetof(arguments, src));
        load(dst_, offsetof(arguments, dst));
        load(rows_, offsetof(arguments, rows));
        load(hi_, offsetof(arguments, hi));
        load(rstd_, offsetof(arguments, rstd));
        load(neg_, offsetof(arguments, neg));
        load(src_stride_, offsetof(arguments, src_row_stride));
        load(dst_stride_, offsetof(arguments, dst_row_stride));
        g_.mov(ahead_, src_stride_); // the next batch, whatever the plan: it costs nothing here
        g_.imul(ahead_, rows_);
    }

    void normalize_rows(places vectors) {
        const auto load_all = [&](const reg &from, size_t field, auto &&to) {
            g_.mov(from, g_.ptr[g_.rdi + field]);
            for (const place &p : vectors)
                p.tail ? tail_.load(to(p), from + offset_of(p)) : ops_.load(to(p), g_.ptr[from + offset_of(p)]);
        };
        if (conf_.scale) load_all(row_, offsetof(arguments, scale), scale_at);
        if (conf_.shift) load_all(row_, offsetof(arguments, shift), shift_at);
        Xbyak::Label next;
        g_.xor_(row_.cvt32(), row_.cvt32());
        g_.L(next);
        normalize_row(vectors);
        g_.add(src_, src_stride_);
        g_.add(dst_, dst_stride_);
        g_.inc(row_);
        g_.cmp(row_, rows_);
        g_.jb(next, Xbyak::CodeGenerator::T_NEAR);
    }

    void normalize_row(places vectors) {
        const vmm hi(0), rstd(1), neg(2);
        const auto broadcast = [&](const vmm &to, const reg &values) {
            ops_.broadcast(to, g_.ptr[values + row_ * int(sizeof(T))]);
        };
        broadcast(hi, hi_);
        broadcast(rstd, rstd_);
        broadcast(neg, neg_);
        for_each_cache_line<I, T>(vectors, sizeof(T), [&](const place &p) {
            g_.prefetcht0(g_.ptr[src_ + ahead_ + offset_of(p)]);
            g_.prefetchw(g_.ptr[dst_ + offset_of(p) + CLAIMED]);
        });
        for (const place &p : vectors) {
            const vmm x = work(p);
            if (p.tail) tail_.load(x, src_ + offset_of(p));
            p.tail ? ops_.sub(x, hi, x) : ops_.sub(x, hi, g_.ptr[src_ + offset_of(p)]);
            ops_.negated_fma213(x, rstd, neg); // of hi - x: it turns the sign
            apply_affine(x, scale_at(p), shift_at(p));
        }
        for (const place &p : vectors)
            p.tail ? tail_.store(dst_ + offset_of(p), work(p)) : ops_.store(g_.ptr[dst_ + offset_of(p)], work(p));
    }

    void apply_affine(const vmm &x, const vmm &scale, const vmm &shift) {
        if (conf_.scale && conf_.shift)
            ops_.fma213(x, scale, shift);
        else if (conf_.scale)
            ops_.mul(x, x, scale);
        else if (conf_.shift)
            ops_.add(x, x, shift);
    }

    static int offset_of(const place &p) { return p.slot * vector_traits<I>::bytes; }
    static vmm work(const place &p) { return vmm(3 + p.slot); }
    static vmm scale_at(const place &p) { return vmm(3 + VECTORS + p.slot); }
    static vmm shift_at(const place &p) { return vmm(p.slot < VECTORS - 1 ? 3 + 2 * VECTORS + p.slot : MASK + 1); }

    Xbyak::CodeGenerator &g_;
    vector_ops<T> ops_;
    tail_mask<I, T> &tail_;
    const normalize_conf &conf_;
    const reg src_{Xbyak::Operand::RSI}, dst_{Xbyak::Operand::RDX}, rows_{Xbyak::Operand::R9};
    const reg hi_{Xbyak::Operand::R8}, rstd_{Xbyak::Operand::R13}, neg_{Xbyak::Operand::RBX}, row_{Xbyak::Operand::R12};
    const reg src_stride_{Xbyak::Operand::RAX}, dst_stride_{Xbyak::Operand::R15}, ahead_{Xbyak::Operand::R14};
};

} // namespace jitnorm::impl::jit
