// SPDX-License-Identifier: Apache-2.0
// reduction_pass: sums up rows. First reductions in float take eight rows at a time, where a band or batch has as many
// (sum_eights()). Their pivots are found side by side (pivots::find_eight()). Each row is added to lanes, block by
// block (blocked_sum), and a row of few vectors without a loop (sum_short_rows()). The lanes are folded to four of s
// and four of q, which the frame keeps (sums_of_rows::sum_rows()). Those of eight rows are then added up side by side
// (sums_of_rows::add_up()). Other rows go one by one (sum_row()), in one loop piece by piece.
#pragma once

#include <algorithm>
#include <array>

#include "../emit/sums.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class reduction_pass : row_pass {
    using arguments = forward_arguments<float>;

public:
    reduction_pass(kernel_generator &g, const pass_place &where, const reduction_conf &conf)
        : row_pass(g, where), conf_(conf) {}

    std::string name() const {
        return kernel_name(
            "reduction", g_.kind, {conf_.src},
            {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}, {conf_.ahead == prefetch_to::l2, "to_l2"}});
    }

    void do_all() {
        prepare();
        begin_rows(rows_);
        if (has_eights()) sum_eights();
        rows_.step(1, [&] { sum_row(); });
    }

    // `prefetches`: whether later columns are prefetched.
    void sum_piece(bool prefetches) {
        prepare();
        rows_.point_to_row();
        if (finds_pivots()) where_.pieces->at_first([&] { find_pivot(); });
        if (conf_.centered) broadcast_pivot();
        const reg &ahead = stride_; // pieces have no eights
        if (prefetches) point_ahead(ahead, src_, JITNORM_ARGUMENT(prefetch));
        blocks_.sum_piece(
            *where_.pieces, sums_, int(q_.size()),
            [&](places vectors) {
                if (prefetches) loop_.prefetch(ahead, vectors, conf_.src);
                add(vectors);
            },
            [&] { sums_of_rows_.store_one(total_, s_, q_); });
    }

    reduced_rows sum_only_row() {
        prepare();
        rows_.begin();
        sum_row();
        return {1, pivot_, s_[0], q_[0]};
    }

private:
    // Then pairs of vectors are in unpack order, and so are the lanes.
    bool unpacks() const { return unpacks_for_less(g_.kind, conf_.src); }
    bool has_eights() const { return !g_.kind.is_f64() && !conf_.repeated; }
    bool finds_pivots() const { return conf_.centered && !conf_.repeated; }

    void sum_row() {
        if (finds_pivots()) {
            find_pivot();
            g_.ops.broadcast(pivot_, xmm_of(d_[0]));
        } else if (conf_.centered) {
            broadcast_pivot();
        }
        sum_vectors();
        sums_of_rows_.store_one(total_, s_, q_);
    }

    // At most one of the last two needs the register.
    void prepare() {
        g_.mov(count_, JITNORM_ARGUMENT(count));
        tail_.prepare(count_, left_, where_.loops.position);
        if (conf_.repeated) g_.ops.broadcast(factor_, JITNORM_ARGUMENT(factor));
        if (finds_pivots()) pivots_.begin(left_);
        io_.keep(kept_, unpacks(), conf_.src);
        if (subtracts_by_products()) g_.ops.load(kept_, g_.vector_of(1));
    }

    // Where conversions use the pipes of additions, s - d is computed as s - d * 1 by one fused instruction, which uses
    // the pipes of multiplications. It is rounded once, so the bits are the same.
    bool subtracts_by_products() const {
        return conf_.centered && (conf_.src == jitnorm_f16 || conf_.src == jitnorm_s8 || conf_.src == jitnorm_u8);
    }

    // Sums up as many eights as there are, but none of rows with fewer than four elements, which have other pivots.
    void sum_eights() {
        Xbyak::Label end;
        g_.cmp(count_, 4);
        g_.jb(end, NEAR);
        g_.mov(stride_, JITNORM_ARGUMENT(x.stride));
        rows_.while_left(sums_of_rows::ROWS, [&] {
            Xbyak::Label summed;
            if (conf_.centered) find_pivots_of_eight();
            sums_of_rows_.begin();
            if (conf_.short_rows) sum_short_rows(summed);
            sum_rows_of_eight();
            g_.L(summed);
            sums_of_rows_.add_up();
        });
        g_.L(end);
    }

    void find_pivots_of_eight() {
        g_.mov(rest_, src_);
        pivots_.find_eight(idle_lanes_, ymm_of(d_[0]), rest_, stride_, other_);
        g_.vmovups(g_.ptr[rows_.of_row(JITNORM_ARGUMENT(pivot))], idle_lanes_[0]);
    }

    void sum_rows_of_eight() {
        sums_of_rows_.sum_rows([&] {
            if (conf_.centered) broadcast_pivot();
            sum_vectors();
            const Xbyak::Ymm q = total_.to_ymm(q_);
            return std::pair(conf_.centered ? total_.to_ymm(s_) : q, q);
        });
    }

    // The same for rows of a few vectors: there is code without a loop for each number of vectors. The sums of
    // differences have the other sign until they are whole.
    void sum_short_rows(Xbyak::Label &done) {
        if (conf_.centered) g_.mov(rest_, JITNORM_ARGUMENT(pivot));
        loop_.begin(count_);
        loop_.walk_straight(SHORT_ROW_VECTORS, done, [&](places vectors) {
            const auto used = [&](lanes sums) { return sums.first(std::min(vectors.size(), sums.size())); };
            sums_of_rows_.sum_rows([&] {
                if (conf_.centered) g_.ops.broadcast(pivot_, g_.ptr[rows_.of_row(rest_)]);
                for (const place &p : vectors) add_straight(p);
                const Xbyak::Ymm q = straight_total_.to_ymm(used(q_));
                if (!conf_.centered) return std::pair(q, q);
                const Xbyak::Ymm s = straight_total_.to_ymm(used(s_));
                g_.ops.clear(ymm_of(d_[0]));
                g_.ops.sub(s, ymm_of(d_[0]), s);
                return std::pair(s, q);
            });
        });
    }

    // The first vectors of a row initialize the lanes.
    void add_straight(const place &p) {
        const size_t lane = size_t(p.slot) % q_.size();
        const bool first = size_t(p.slot) < q_.size();
        const vmm &d = first ? s_[lane] : d_[size_t(p.slot) % 2];
        conf_.centered ? io_.load_centered(d, pivot_, src_, p, conf_.src) : io_.load(d, src_, p, conf_.src);
        if (conf_.centered && p.tail) tail_.zero_absent(d);
        if (first) return g_.ops.mul(q_[lane], d, d);
        if (conf_.centered) g_.ops.add(s_[lane], s_[lane], d);
        g_.ops.fma231(q_[lane], d, d);
    }

    void sum_vectors() {
        blocks_.sum(sums_, int(q_.size()), [&](places vectors) {
            loop_.prefetch(src_ + AHEAD_WHILE_REDUCED, vectors, conf_.src, conf_.ahead);
            add(vectors);
        });
    }

    void find_pivot() {
        const Xbyak::Xmm pivot = xmm_of(d_[0]);
        loop_.begin(count_);
        pivots_.find(d_[0], d_[1], [this](places first) { io_.load(d_[0], src_, first.front(), conf_.src); });
        g_.ops.store_lowest(g_.ptr[rows_.of_row(JITNORM_ARGUMENT(pivot))], pivot);
    }

    void broadcast_pivot() { rows_.broadcast(JITNORM_ARGUMENT(pivot), std::span(&pivot_, 1)); }

    void add(places vectors) {
        conf_.centered ? io_.load_all_centered(d_, pivot_, src_, vectors, conf_.src)
                       : io_.load_all(d_, src_, vectors, conf_.src);
        for (const place &p : vectors) {
            if (conf_.centered && p.tail) tail_.zero_absent(d_[size_t(p.slot)]);
            unpacks() && !io_.in_unpack_order(vectors) ? accumulate_spread(size_t(p.slot)) : accumulate(size_t(p.slot));
        }
    }

    void accumulate_spread(size_t slot) {
        const size_t first = slot - slot % 2, second = first + 1;
        spread_to_unpack_order(g_, ymm_of(d_[first]), ymm_of(d_[second]), slot == second);
        accumulate(first);
        accumulate(second);
    }

    void accumulate(size_t slot) {
        const vmm &d = d_[slot];
        if (conf_.repeated) g_.ops.mul(d, d, factor_);
        if (subtracts_by_products())
            g_.ops.negated_fma231(s_[slot], d, kept_);
        else if (conf_.centered)
            g_.ops.sub(s_[slot], s_[slot], d);
        g_.ops.fma231(q_[slot], d, d);
    }

    const reduction_conf conf_;
    const reg src_ = registers_.take(g_.rsi), rest_ = registers_.take(g_.rdx);
    const reg other_ = registers_.take(g_.r8), stride_ = registers_.take(g_.r9); // of eights
    // The registers for the lanes of each sum, and for the differences of as many vectors. Between vectors
    // d_[0] is a work register; it holds the pivot of a row while that is found.
    const std::vector<vmm> s_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> q_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> d_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> sums_ = conf_.centered ? joined(s_, q_) : q_;
    const vmm pivot_ = registers_.take_vector();
    const vmm factor_ = registers_.take_vector(); // of repeated reductions; in others `pivots` keeps 0.25 here
    const std::array<Xbyak::Ymm, 4> idle_lanes_ = first_four(s_, q_); // for use while these hold no lanes
    tail_mask tail_{g_, registers_.take_vector()};
    const vmm kept_ = registers_.take_vector(); // a constant: for conversions (element_io::keep()), or ones
    element_io io_{g_, tail_, loop_, where_.loops.io};
    row_loop rows_{g_, index_, left_, end_of_rows(JITNORM_ARGUMENT(rows)), {{{src_}, JITNORM_STRIP(x)}}};
    pivots pivots_{g_, io_, conf_.src, count_, factor_};
    blocked_sum blocks_{g_, loop_, count_, rest_, (where_.pieces ? 4 : 2) * forward_vectors(g_.kind)};
    horizontal_sum total_{g_, d_[0], unpacks()};
    horizontal_sum straight_total_{g_, d_[0]};
    sums_of_rows sums_of_rows_{g_,
                               rows_,
                               index_,
                               other_,
                               idle_lanes_,
                               ymm_of(d_[0]),
                               where_.pieces ? 0 : g_.reserve(sums_of_rows::BYTES),
                               conf_.centered,
                               {JITNORM_ARGUMENT(s), JITNORM_ARGUMENT(q)}};
};

} // namespace jitnorm::impl::jit
