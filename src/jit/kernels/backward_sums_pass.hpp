// SPDX-License-Identifier: Apache-2.0
// backward_sums_pass: computes the row sums and the column sums of backward. Rows go in pairs, which share the loads
// of scale and the loads and stores of the column sums; an odd last row has no partner. One by one go rows with their
// own scale, and rows for whose pairs there are not enough registers. xhat is computed as
// (mean - x) * -rstd, so that x can be an operand in memory.
#pragma once

#include <array>

#include "../emit/affine.hpp"
#include "../emit/sums.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

// Stores the first numbers of a register, of one row or of two, to an array of the compute type.
inline void store_numbers(kernel_generator &g, const Xbyak::Address &to, const Xbyak::Xmm &numbers, int rows) {
    if (rows == 1) return g.ops.store_lowest(to, numbers);
    g.kind.is_f64() ? g.vmovupd(to, numbers) : g.vmovlps(to, numbers);
}

class backward_sums_pass : row_pass {
    using arguments = backward_arguments<float>;

    struct row { // the registers of one row of a pair
        reg src, diff_dst;
        std::vector<vmm> s1, s2;
        vmm mean, factor;
    };

    const backward_sums_conf conf_;

    bool has_s1() const { return conf_.sums && conf_.centered; }
    bool needs_xhat() const { return conf_.sums || conf_.diff_scale; }
    bool multiplies() const { return conf_.scale && conf_.sums; }
    bool loads_scale() const {
        return multiplies() && (conf_.scale_type != g_.kind.compute || !multiplies_as_stored(conf_.affine_flags));
    }
    bool rounds() const { return conf_.normalized != jitnorm_data_type_undef; }
    // A scale that is not an operand in memory needs a register, and so do rounded values; with AVX2 a pair of rows
    // leaves none.
    bool has_pairs() const { return !conf_.own_rows && (g_.kind.is_avx512() || !(loads_scale() || rounds())); }
    bool sums_scale() const { return conf_.diff_scale && !conf_.own_rows; }
    bool sums_shift() const { return conf_.diff_shift && !conf_.own_rows; }

    const int vectors_ = backward_vectors(g_.kind); // registers per sum, and the unroll
    const reg scale_at_ = registers_.take(g_.r10), diff_scale_ = registers_.take(g_.r11);
    const reg diff_shift_ = registers_.take(g_.r13), rest_ = registers_.take(g_.r14);
    // The lanes of both rows come first, then the numbers of each row.
    std::array<row, PAIR> take_rows() {
        std::array<row, PAIR> rows;
        const std::array<reg, PAIR> src{g_.rsi, g_.r8}, diff_dst{g_.rdx, g_.r9};
        for (size_t r = 0; r < PAIR; ++r) {
            rows[r].src = registers_.take(src[r]);
            rows[r].diff_dst = registers_.take(diff_dst[r]);
            rows[r].s1 = registers_.take_vectors(vectors_);
            rows[r].s2 = registers_.take_vectors(vectors_);
        }
        for (row &r : rows) {
            r.mean = registers_.take_vector();
            r.factor = registers_.take_vector();
        }
        return rows;
    }
    const std::array<row, PAIR> rows_ = take_rows();
    // With AVX2, which has two vectors for each sum, all 16 registers are in use.
    const vmm dy_ = registers_.take_vector(), xhat_ = registers_.take_vector();
    const vmm shift_sum_ = registers_.take_vector(), scale_sum_ = registers_.take_vector();
    // With AVX2 there are no pairs if there is a scale in a register or if values are rounded, and the registers of the
    // second row are free.
    const vmm scale_ = g_.kind.is_avx512() ? registers_.take_vector(g_.kind.registers() - 1) : rows_[1].mean;
    const vmm rounded_ = g_.kind.is_avx512() ? registers_.take_vector() : rows_[1].s1.back();
    const vmm rounding_ = g_.kind.is_avx512() ? registers_.take_vector() : rows_[1].s2.back();

    tail_mask tail_{g_, scale_sum_};
    // Only rows with gradients of their own are narrowed. They go one by one and leave the second row's registers free.
    element_io io_{g_, tail_, loop_, shared_.io, {rows_[1].s1[0], rows_[1].s2[0]}};
    row_loop pairs_ = loop_over({{{rows_[0].src, rows_[1].src}, JITNORM_STRIP(src)},
                                 {{rows_[0].diff_dst, rows_[1].diff_dst}, JITNORM_STRIP(diff_dst)},
                                 {{scale_at_}, JITNORM_STRIP(scale), conf_.own_rows},
                                 {{diff_scale_}, JITNORM_STRIP(diff_scale), conf_.own_rows},
                                 {{diff_shift_}, JITNORM_STRIP(diff_shift), conf_.own_rows}});
    horizontal_sum total_{g_, dy_};
    blocked_sum blocks_{g_, loop_, count_, rest_, vectors_ * 2 * PAIR};
    const int mask_at_ = g_.reserve(g_.kind.bytes());
    narrowing narrowing_{g_, {rounding_, rounding_}};

public:
    backward_sums_pass(kernel_generator &g, const pass_context &shared, const backward_sums_conf &conf)
        : row_pass(g, shared), conf_(conf) {}

    std::string name() const {
        return kernel_name("backward_sums", g_.kind, {conf_.src, conf_.diff_dst},
                           {{conf_.scale, "scale"},
                            {!conf_.centered, "rms"},
                            {rounds(), "round_normalized"},
                            {!conf_.sums, "columns"},
                            {conf_.own_rows, "own_rows"},
                            {conf_.ahead == prefetch_to::l1, "to_l1"},
                            {conf_.ahead == prefetch_to::l2, "to_l2"}},
                           conf_.affine_flags);
    }

    void do_all() {
        prepare();
        pairs_.point_to_row();
        if (has_pairs()) pairs_.step(PAIR, [&] { sum_rows(PAIR); });
        pairs_.step(1, [&] { sum_rows(1); });
    }

private:
    void prepare() {
        g_.mov(count_, JITNORM_ARGUMENT(count));
        g_.mov(scale_at_, JITNORM_ARGUMENT(scale.first));
        g_.mov(diff_scale_, JITNORM_ARGUMENT(diff_scale.first));
        g_.mov(diff_shift_, JITNORM_ARGUMENT(diff_shift.first));
        // With AVX2 the mask is kept in the frame, because a register is free for it only at the incomplete vector.
        tail_.prepare(count_, left_, shared_.position);
        if (!g_.kind.is_avx512()) g_.vmovaps(mask_in_frame(), scale_sum_);
        if (conf_.diff_dst == jitnorm_bf16 && g_.kind.is_avx512())
            io_.permute_bf16(registers_.take_vector(g_.kind.registers() - 2));
    }

    Xbyak::Address mask_in_frame() const { return g_.ptr[g_.rsp + mask_at_]; }

    void sum_rows(int rows) {
        const auto add_rows = [this, rows](places vectors) {
            for (size_t r = 0; r < size_t(rows); ++r) {
                loop_.prefetch(rows_[r].src + AHEAD_WHILE_REDUCED, vectors, conf_.src, conf_.ahead);
                loop_.prefetch(rows_[r].diff_dst + AHEAD_WHILE_REDUCED, vectors, conf_.diff_dst, conf_.ahead);
            }
            add(rows, vectors);
        };
        broadcast_statistics(rows);
        if (conf_.sums) {
            blocks_.sum(lanes_of(rows), vectors_, add_rows);
            return store_sums(rows);
        }
        loop_.begin(count_);
        loop_.walk(vectors_, add_rows);
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](size_t array, vmm row::*to) {
            rows == 1 ? pairs_.broadcast(array, {rows_[0].*to}) : pairs_.broadcast(array, {rows_[0].*to, rows_[1].*to});
        };
        if (!needs_xhat()) return;
        if (conf_.centered) broadcast(JITNORM_ARRAY(mean), &row::mean);
        broadcast(JITNORM_ARRAY(factor), &row::factor);
    }

    std::vector<vmm> lanes_of(int rows) const {
        std::vector<vmm> all;
        for (size_t r = 0; r < size_t(rows); ++r)
            for (size_t i = 0; i < size_t(vectors_); ++i) {
                if (has_s1()) all.push_back(rows_[r].s1[i]);
                all.push_back(rows_[r].s2[i]);
            }
        return all;
    }

    // Adds up the lanes of one row or of two, in the order of horizontal_sum.
    void store_sums(int rows) {
        using ymm = Xbyak::Ymm;
        const ymm work = ymm_of(dy_), sum = ymm_of(rows_[0].s1[0]);
        for (size_t r = 0; r < size_t(rows); ++r) {
            const ymm s1 = ymm_of(rows_[r].s1[0]), s2 = total_.to_ymm(rows_[r].s2);
            has_s1() ? void(total_.to_ymm(rows_[r].s1)) : g_.ops.clear(s1);
            g_.vperm2f128(work, s1, s2, 0x20);
            g_.vperm2f128(s2, s1, s2, 0x31);
            g_.ops.add(s1, work, s2);
        }
        const ymm other = ymm_of(rows_[size_t(rows - 1)].s1[0]);
        g_.vunpcklpd(work, sum, other);
        g_.vunpckhpd(sum, sum, other);
        g_.ops.add(sum, work, sum);
        if (!g_.kind.is_f64()) {
            g_.vshufps(work, sum, sum, 0x88);
            g_.vshufps(sum, sum, sum, 0xDD);
            g_.vaddps(sum, work, sum);
        }
        if (has_s1()) store_numbers(g_, g_.ptr[pairs_.of_row(JITNORM_ARRAY(s1))], xmm_of(sum), rows);
        g_.vextractf128(xmm_of(work), sum, 1);
        store_numbers(g_, g_.ptr[pairs_.of_row(JITNORM_ARRAY(s2))], xmm_of(work), rows);
    }

    void add(int rows, places vectors) {
        if (conf_.own_rows && conf_.diff_shift) loop_.prefetch_for_write(diff_shift_, vectors, conf_.gradient);
        if (conf_.own_rows && conf_.diff_scale) loop_.prefetch_for_write(diff_scale_, vectors, conf_.gradient);
        for (const place &p : vectors) p.tail ? add_incomplete(rows, p) : add_whole(rows, p);
    }

    // Adds one vector of all rows of the step. The column sums stay in registers from row to row.
    void add_whole(int rows, const place &p) {
        const auto in_memory = [&](const reg &of) { return g_.ptr[loop_.at(of, p, g_.kind.element())]; };
        if (loads_scale()) load_scale(scale_, p);
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (sums_shift())
                r == 0 ? g_.ops.add(shift_sum_, dy_, in_memory(diff_shift_)) : g_.ops.add(shift_sum_, shift_sum_, dy_);
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.own_rows) store_own_gradients(p);
            if (sums_scale()) {
                if (r == 0) g_.ops.load(scale_sum_, in_memory(diff_scale_));
                g_.ops.fma231(scale_sum_, dy_, rounded_xhat());
            }
            if (multiplies()) loads_scale() ? g_.ops.mul(dy_, dy_, scale_) : g_.ops.mul(dy_, dy_, in_memory(scale_at_));
            add_to_row_sums(of, p);
        }
        if (sums_shift()) g_.ops.store(in_memory(diff_shift_), shift_sum_);
        if (sums_scale()) g_.ops.store(in_memory(diff_scale_), scale_sum_);
    }

    // Adds the incomplete vector. The column sums go through memory for each row, because one of their registers
    // holds the mask here.
    void add_incomplete(int rows, const place &p) {
        if (!g_.kind.is_avx512()) g_.vmovaps(scale_sum_, mask_in_frame());
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            const auto add_to = [&](const reg &sums, auto &&term) { // by way of shift_sum_
                tail_.load(shift_sum_, loop_.at(sums, p, g_.kind.element()));
                term();
                tail_.store(loop_.at(sums, p, g_.kind.element()), shift_sum_);
            };
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (sums_shift()) add_to(diff_shift_, [&] { g_.ops.add(shift_sum_, shift_sum_, dy_); });
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.own_rows) store_own_gradients(p);
            if (sums_scale()) add_to(diff_scale_, [&] { g_.ops.fma231(shift_sum_, dy_, rounded_xhat()); });
            if (multiplies()) {
                load_scale(shift_sum_, p);
                g_.ops.mul(dy_, dy_, shift_sum_);
            }
            add_to_row_sums(of, p);
        }
    }

    // A row with its own gradients stores its own sums, as a row block of one row would have them.
    void store_own_gradients(const place &p) {
        const vmm &zero = rows_[1].factor, &sum = shift_sum_;
        g_.ops.clear(zero);
        if (conf_.diff_shift) {
            g_.ops.add(sum, dy_, zero);
            io_.store(diff_shift_, p, sum, conf_.gradient, false);
        }
        if (conf_.diff_scale) {
            g_.ops.clear(sum);
            g_.ops.fma231(sum, dy_, rounded_xhat());
            g_.ops.add(sum, sum, zero); // fma may underflow to -0, which sums of blocks lose when they are added up
            io_.store(diff_scale_, p, sum, conf_.gradient, false);
        }
    }

    void load_scale(const vmm &to, const place &p) {
        io_.load(to, scale_at_, p, conf_.scale_type);
        to_factors(g_, conf_.affine_flags, to);
    }

    void load_xhat(const row &of, const place &p) {
        conf_.centered ? io_.load_difference(xhat_, of.mean, of.src, p, conf_.src)
                       : io_.load(xhat_, of.src, p, conf_.src);
        g_.ops.mul(xhat_, xhat_, of.factor);
        if (p.tail) tail_.zero_absent(xhat_);
    }

    // For diff_scale; the sums over the row use xhat before rounding.
    const vmm &rounded_xhat() {
        if (!rounds()) return xhat_;
        narrowing_.round_normalized(rounded_, xhat_, conf_.normalized);
        return rounded_;
    }

    void add_to_row_sums(const row &of, const place &p) {
        if (has_s1()) g_.ops.add(of.s1[p.slot], of.s1[p.slot], dy_);
        if (conf_.sums) g_.ops.fma231(of.s2[p.slot], dy_, xhat_);
    }
};

} // namespace jitnorm::impl::jit
