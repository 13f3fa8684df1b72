// SPDX-License-Identifier: Apache-2.0
// reduction_pass: sums up rows. Single rows go as sum_row() says. First reductions in float take eight rows at a time,
// where a band has as many (sum_eights()), and rows of few vectors without a loop (sum_short_rows()).
#pragma once

#include <algorithm>

#include "../emit/eight_sums.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

// Makes a pair in unpack order from one vector in plain order, which is the first or the second of its pair. The other
// vector's elements become zeros.
inline void spread_to_unpack_order(Xbyak::CodeGenerator &g, const Xbyak::Ymm &first, const Xbyak::Ymm &second,
                                   bool from_second) {
    constexpr int LOW = 0, HIGH = 1, ZEROS = 8;
    const auto take = [&](const Xbyak::Ymm &to, int half) {
        const Xbyak::Ymm from = from_second ? second : first;
        g.vperm2f128(to, from, from, uint8_t(from_second ? half << 4 | ZEROS : ZEROS << 4 | half));
    };
    take(from_second ? first : second, from_second ? LOW : HIGH);
    take(from_second ? second : first, from_second ? HIGH : LOW);
}

class reduction_pass : row_pass {
    using arguments = forward_arguments<float>;

    const reduction_conf conf_;

    bool finds_pivots() const { return conf_.centered && !conf_.repeated; }
    bool has_eights() const { return !g_.kind.is_f64() && !conf_.repeated; }
    // Then pairs of vectors are in unpack order, and so are the lanes.
    bool unpacks() const { return unpacks_for_less(g_.kind, conf_.src); }
    // Where conversions use the pipes of additions, s - d is computed as s - d * 1 by one fused instruction, which uses
    // the pipes of multiplications. It is rounded once, so the bits are the same.
    bool subtracts_by_products() const {
        return conf_.centered && (conf_.src == jitnorm_f16 || conf_.src == jitnorm_s8 || conf_.src == jitnorm_u8);
    }

    const reg src_ = registers_.take(g_.rsi), rest_ = registers_.take(g_.rdx);
    const reg next_lanes_ = registers_.take(g_.r8), stride_ = registers_.take(g_.r9); // of eights
    // The registers for the lanes of each sum, and for the differences of as many vectors. Between vectors
    // d_[0] is a work register; it holds the pivot of a row while that is found.
    const std::vector<vmm> s_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> q_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> d_ = registers_.take_vectors(forward_vectors(g_.kind));
    const std::vector<vmm> sums_ = conf_.centered ? joined(s_, q_) : q_;
    const vmm pivot_ = registers_.take_vector();
    const vmm factor_ = registers_.take_vector(); // of repeated reductions; in others `pivots` keeps 0.25 here
    tail_mask tail_{g_, registers_.take_vector()};
    const vmm kept_ = registers_.take_vector(); // a constant: for conversions (element_io::prepare()), or ones

    element_io io_{g_, tail_, loop_, shared_.io};
    row_loop rows_ = loop_over({{{src_}, JITNORM_STRIP(x)}});
    pivots pivots_{g_, loop_, count_, factor_};
    blocked_sum blocks_{g_, loop_, count_, rest_, 2 * forward_vectors(g_.kind)};
    horizontal_sum total_{g_, d_[0], unpacks()};
    horizontal_sum straight_total_{g_, d_[0]};
    eight_sums eights_{g_,
                       rows_,
                       index_,
                       next_lanes_,
                       joined(s_, q_),
                       d_[0],
                       g_.reserve(eight_sums::BYTES),
                       conf_.centered,
                       {JITNORM_ARRAY(pivot), JITNORM_ARRAY(s), JITNORM_ARRAY(q)}};

public:
    reduction_pass(kernel_generator &g, const pass_context &shared, const reduction_conf &conf)
        : row_pass(g, shared), conf_(conf) {}

    std::string name() const {
        return kernel_name(
            "reduction", g_.kind, {conf_.src},
            {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}, {conf_.ahead == prefetch_to::l2, "to_l2"}});
    }

    void do_all() {
        prepare();
        rows_.point_to_row();
        if (has_eights()) sum_eights();
        rows_.step(1, [&] { sum_row(); });
    }

    reduced_rows sum_only_row() {
        prepare();
        rows_.point_to_first();
        sum_row();
        return {1, pivot_, s_[0], q_[0]};
    }

private:
    // Conversions need kept_ for bf16 only, and ones are for f16, s8 and u8.
    void prepare() {
        g_.mov(count_, JITNORM_ARGUMENT(chunk));
        tail_.prepare(count_, left_, shared_.position);
        if (conf_.repeated) g_.ops.broadcast(factor_, JITNORM_ARGUMENT(factor));
        if (finds_pivots()) pivots_.begin(left_);
        io_.prepare(kept_, unpacks(), conf_.src);
        if (subtracts_by_products()) g_.ops.load(kept_, g_.vector_of(1));
    }

    void sum_row() {
        if (finds_pivots()) {
            find_pivot();
            g_.ops.broadcast(pivot_, xmm_of(d_[0]));
        } else if (conf_.centered) {
            broadcast_pivot();
        }
        sum_vectors();
        store_sums();
    }

    // ---- the steps of a row

    void find_pivot() {
        const Xbyak::Xmm pivot = xmm_of(d_[0]);
        pivots_.find(d_[0], d_[1], [this](places first) { io_.load(d_[0], src_, first.front(), conf_.src); });
        g_.ops.store_lowest(g_.ptr[rows_.of_row(JITNORM_ARRAY(pivot))], pivot);
    }

    void broadcast_pivot() { rows_.broadcast(JITNORM_ARRAY(pivot), {pivot_}); }

    void sum_vectors() {
        blocks_.sum(sums_, int(q_.size()), [&](places vectors) {
            loop_.prefetch(src_ + AHEAD_WHILE_REDUCED, vectors, conf_.src, conf_.ahead);
            add(vectors);
        });
    }

    void add(places vectors) {
        conf_.centered ? io_.load_all_differences(d_, pivot_, src_, vectors, conf_.src)
                       : io_.load_all(d_, src_, vectors, conf_.src);
        for (const place &p : vectors) {
            if (conf_.centered && p.tail) tail_.zero_absent(d_[p.slot]);
            unpacks() && !io_.in_unpack_order(vectors) ? accumulate_spread(p.slot) : accumulate(p.slot);
        }
    }

    void accumulate_spread(size_t slot) {
        const size_t first = slot - slot % 2, second = first + 1;
        spread_to_unpack_order(g_, ymm_of(d_[first]), ymm_of(d_[second]), slot == second);
        accumulate(first);
        accumulate(second);
    }

    // d is the pivot minus x, so that to subtract it adds x minus the pivot.
    void accumulate(size_t slot) {
        const vmm &d = d_[slot];
        if (conf_.repeated) g_.ops.mul(d, d, factor_);
        if (subtracts_by_products())
            g_.ops.negated_fma231(s_[slot], d, kept_);
        else if (conf_.centered)
            g_.ops.sub(s_[slot], s_[slot], d);
        g_.ops.fma231(q_[slot], d, d);
    }

    void store_sums() {
        if (conf_.centered) total_.store(s_, rows_, JITNORM_ARRAY(s));
        total_.store(q_, rows_, JITNORM_ARRAY(q));
    }

    // ---- eight rows

    // Sums up as many eights as there are, but none of rows with fewer than four elements, which have other pivots.
    void sum_eights() {
        Xbyak::Label end;
        g_.cmp(count_, 4);
        g_.jb(end, NEAR);
        g_.mov(stride_, JITNORM_ARGUMENT(x.stride));
        rows_.while_left(BAND_UNIT, [&] {
            Xbyak::Label summed;
            if (conf_.centered) {
                g_.mov(rest_, src_);
                eights_.find_pivots(io_, conf_.src, rest_, stride_, factor_);
            }
            eights_.begin();
            if (conf_.short_rows) sum_short_rows(summed);
            eights_.sum_rows(total_, s_, q_, false, [this] {
                if (conf_.centered) broadcast_pivot();
                sum_vectors();
            });
            g_.L(summed);
            eights_.add_up();
        });
        g_.L(end);
    }

    // The rows of an eight, of a few vectors each: there is code without a loop for each number of vectors. The lanes
    // of s have the other sign. The rows are prefetched, whatever the plan says: here this takes no time.
    void sum_short_rows(Xbyak::Label &done) {
        loop_.begin(count_);
        loop_.walk_straight(SHORT_ROW_VECTORS, done, [&](places vectors) {
            const auto used = [&](lanes sums) { return sums.first(std::min(vectors.size(), sums.size())); };
            eights_.sum_rows(straight_total_, used(s_), used(q_), true, [&] {
                if (conf_.centered) g_.ops.broadcast(pivot_, g_.ptr[rows_.of_row(JITNORM_ARRAY(pivot))]);
                loop_.prefetch(src_ + AHEAD_WHILE_REDUCED, vectors, conf_.src, std::max(conf_.ahead, prefetch_to::l1));
                for (const place &p : vectors) add_straight(p);
            });
        });
    }

    // The first vectors of a row initialize the lanes.
    void add_straight(const place &p) {
        const size_t lane = p.slot % q_.size();
        const bool first = p.slot < q_.size();
        const vmm &d = first ? s_[lane] : d_[p.slot % 2];
        conf_.centered ? io_.load_difference(d, pivot_, src_, p, conf_.src) : io_.load(d, src_, p, conf_.src);
        if (conf_.centered && p.tail) tail_.zero_absent(d);
        if (first) return g_.ops.mul(q_[lane], d, d);
        if (conf_.centered) g_.ops.add(s_[lane], s_[lane], d);
        g_.ops.fma231(q_[lane], d, d);
    }
};

} // namespace jitnorm::impl::jit
