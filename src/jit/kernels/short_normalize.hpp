// SPDX-License-Identifier: Apache-2.0
// short_normalize: the part of a normalization for rows of a few vectors. Scale and shift stay in registers, and the
// code for a row has no loop. It is for elements of the compute type, without attributes.
#pragma once

#include "../emit/affine.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class short_normalize {
    using arguments = forward_arguments<float>;
    static constexpr int VECTORS = 4; // the most vectors of a row

public:
    static bool takes(const normalize_conf &conf, jitnorm_data_type_t own) { // own: the compute type
        return conf.src == own && conf.dst == own && conf.scale_shift == own && !conf.src_scale && !conf.dst_scale &&
               !conf.non_temporal && !conf.own_rows && conf.post_ops.empty() &&
               conf.pre_quantization == jitnorm_data_type_undef && conf.normalized == jitnorm_data_type_undef;
    }

    // `scale` and `shift` are the registers of these arguments. This part may take all other registers but rdi, the
    // count, the index and the tail's mask.
    short_normalize(kernel_generator &g, const pass_context &shared, const normalize_conf &conf, tail_mask &tail,
                    const reg &scale, const reg &shift)
        : g_(g), tail_(tail), shared_(shared), type_(g.kind.compute), count_(shared.count), scale_(scale),
          shift_(shift), affine_{g, io_, conf, registers_.take_vectors(VECTORS), registers_.take_vectors(VECTORS)} {}

    // Emits code that does the rows of a band and jumps to `done` if they are short enough, and otherwise changes
    // nothing.
    void emit(Xbyak::Label &done) {
        Xbyak::Label longer;
        g_.cmp(count_, VECTORS * g_.kind.width());
        g_.ja(longer, NEAR);
        load_arguments();
        loop_.walk_straight(VECTORS, done, [&](places vectors) {
            affine_.load(vectors, scale_, shift_);
            normalize_rows(vectors);
        });
        g_.L(longer);
    }

private:
    register_set registers_of_rest() const {
        register_set rest(g_.kind);
        for (const reg &taken : {count_, scale_, shift_, g_.rdi}) rest.take(taken);
        rest.take_vector(tail_.vector().getIdx());
        return rest;
    }

    // Makes the index, which is the number of the band's first row, run from minus the number of its rows to zero.
    void load_arguments() {
        const auto load = [&](const reg &to, size_t field) { g_.mov(to, g_.argument(field)); };
        load(src_, offsetof(arguments, x.first));
        load(dst_, offsetof(arguments, dst.first));
        load(src_stride_, offsetof(arguments, x.stride));
        load(dst_stride_, offsetof(arguments, dst.stride));
        for (const auto &[row, stride] : {std::pair(src_, src_stride_), std::pair(dst_, dst_stride_)}) {
            g_.mov(end_, stride);
            g_.imul(end_, index_);
            g_.add(row, end_);
        }
        g_.mov(end_, shared_.band_end);
        g_.sub(index_, end_);
        g_.lea(end_, g_.ptr[g_.rdi + end_ * g_.kind.element()]);
    }

    void normalize_rows(places vectors) {
        Xbyak::Label next;
        g_.L(next);
        normalize_row(vectors);
        g_.add(src_, src_stride_);
        g_.add(dst_, dst_stride_);
        g_.inc(index_);
        g_.jnz(next, NEAR);
    }

    void normalize_row(places vectors) {
        // How many bytes ahead of stores their cache lines are prefetched. More than for longer rows: a short row is
        // finished before a line of a shorter distance has arrived.
        constexpr int AHEAD_OF_STORES = 2048;
        const vmm &hi = statistics_[0], &rstd = statistics_[1], &bias = statistics_[2];
        const auto broadcast = [&](const vmm &to, size_t array) {
            g_.ops.broadcast(to, g_.ptr[end_ + array + index_ * g_.kind.element()]);
        };
        broadcast(hi, JITNORM_ARRAY(hi));
        broadcast(rstd, JITNORM_ARRAY(rstd));
        broadcast(bias, JITNORM_ARRAY(bias));
        loop_.prefetch_for_write(dst_, vectors, type_, AHEAD_OF_STORES);
        for (const place &p : vectors) {
            const vmm &x = work_[p.slot];
            io_.load_difference(x, hi, src_, p, type_);
            g_.ops.negated_fma213(x, rstd, bias);
            affine_.apply(x, p);
        }
        for (const place &p : vectors) io_.store(dst_, p, work_[p.slot], type_, false);
    }

    kernel_generator &g_;
    tail_mask &tail_;
    const pass_context &shared_;
    const jitnorm_data_type_t type_;
    const reg count_, scale_, shift_;
    register_set registers_ = registers_of_rest();
    const reg src_ = registers_.take(g_.rsi), dst_ = registers_.take(g_.rdx), index_ = registers_.take(shared_.index);
    const reg end_ = registers_.take(g_.r8); // the arguments, but as many elements later as the band's last row is
    const reg src_stride_ = registers_.take(g_.rax), dst_stride_ = registers_.take(g_.r15);
    const reg reg_io_ = registers_.take(g_.r9);
    const std::vector<vmm> statistics_ = registers_.take_vectors(3); // hi, rstd, bias
    const std::vector<vmm> work_ = registers_.take_vectors(VECTORS);
    vector_loop loop_{g_, count_};
    element_io io_{g_, tail_, loop_, reg_io_};
    scale_shift affine_;
};

} // namespace jitnorm::impl::jit
