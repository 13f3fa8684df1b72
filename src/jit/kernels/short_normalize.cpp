// SPDX-License-Identifier: Apache-2.0
#include "short_normalize.hpp"

namespace jitnorm::impl::jit {

bool short_normalize::takes(const normalize_conf &conf) {
    const auto own = conf.compute;
    return conf.src == own && conf.dst == own && conf.scale_shift == own && !conf.src_scale && !conf.dst_scale &&
           !conf.non_temporal && !conf.finds_amax && !conf.own_rows && conf.post_ops.empty() &&
           conf.pre_quantization == jitnorm_data_type_undef && conf.normalized == jitnorm_data_type_undef;
}

short_normalize::short_normalize(kernel_generator &g, const pass_place &where, const normalize_conf &conf,
                                 tail_mask &tail, const reg &scale, const reg &shift)
    : g_(g), tail_(tail), where_(where), type_(conf.compute), count_(where.loops.count), scale_(scale),
      shift_(shift), affine_{g, io_, type_, conf.affine_flags, take_if(conf.scale), take_if(conf.shift)} {}

register_set short_normalize::registers_of_rest() const {
    register_set rest(g_.kind);
    for (const reg &taken : {count_, scale_, shift_, g_.rdi}) rest.take(taken);
    rest.take_vector(tail_.vector().getIdx());
    return rest;
}

// Takes registers for the slots in any case, so that shift has the same ones with scale and without.
std::vector<vmm> short_normalize::take_if(bool wanted) {
    std::vector<vmm> taken = registers_.take_vectors(VECTORS);
    return wanted ? taken : std::vector<vmm>{};
}

void short_normalize::emit(Xbyak::Label &done) {
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

// The index runs from minus the number of rows to zero. That of a band begins at the number of its first row.
void short_normalize::load_arguments() {
    const auto load = [&](const reg &to, size_t field) { g_.mov(to, g_.ptr[where_.arguments + field]); };
    load(src_, offsetof(arguments, src));
    load(dst_, offsetof(arguments, dst));
    load(src_stride_, offsetof(arguments, src_row_stride));
    load(dst_stride_, offsetof(arguments, dst_row_stride));
    load(hi_, offsetof(arguments, hi));
    load(rstd_, offsetof(arguments, rstd));
    load(bias_, offsetof(arguments, bias));
    if (where_.band) {
        for (const auto &[row, stride] : {std::pair(src_, src_stride_), std::pair(dst_, dst_stride_)}) {
            g_.mov(ahead_, stride);
            g_.imul(ahead_, index_);
            g_.add(row, ahead_);
        }
        g_.mov(ahead_, where_.band->end);
    } else {
        g_.xor_(index_, index_);
        load(ahead_, offsetof(arguments, rows));
    }
    for (const reg &numbers : {hi_, rstd_, bias_}) g_.lea(numbers, g_.ptr[numbers + ahead_ * g_.kind.element()]);
    g_.sub(index_, ahead_);
    g_.mov(ahead_, src_stride_); // as many rows are always prefetched, whatever the plan: here this takes no time
    g_.imul(ahead_, index_);
    g_.neg(ahead_);
}

void short_normalize::normalize_rows(places vectors) {
    Xbyak::Label next;
    g_.L(next);
    normalize_row(vectors);
    g_.add(src_, src_stride_);
    g_.add(dst_, dst_stride_);
    g_.inc(index_);
    g_.jnz(next, NEAR);
}

void short_normalize::normalize_row(places vectors) {
    // How many bytes ahead of stores their cache lines are prefetched. More than for longer rows: a short row is
    // finished before a line of a shorter distance has arrived.
    constexpr int AHEAD_OF_STORES = 2048;
    const vmm &hi = statistics_[0], &rstd = statistics_[1], &bias = statistics_[2];
    const auto broadcast = [&](const vmm &to, const reg &numbers) {
        g_.ops.broadcast(to, g_.ptr[numbers + index_ * g_.kind.element()]);
    };
    broadcast(hi, hi_);
    broadcast(rstd, rstd_);
    broadcast(bias, bias_);
    loop_.prefetch(src_ + ahead_, vectors, type_);
    loop_.prefetch_for_write(dst_, vectors, type_, AHEAD_OF_STORES);
    for (const place &p : vectors) {
        const vmm &x = work_[size_t(p.slot)];
        difference_.emit(x, hi, src_, p);
        g_.ops.negated_fma213(x, rstd, bias);
        affine_.apply(x, p);
    }
    for (const place &p : vectors) io_.store(dst_, p, work_[size_t(p.slot)], type_, false);
}

} // namespace jitnorm::impl::jit
