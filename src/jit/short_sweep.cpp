// SPDX-License-Identifier: Apache-2.0
#include "short_sweep.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <string>

#include "emit/element_io.hpp"
#include "emit/lane_fold.hpp"
#include "emit/short_rows.hpp"
#include "kernel_generator.hpp"
#include "make_kernel.hpp"
#include "sweep_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::FORWARD_LANES;

class short_sweep_generator : public kernel_generator {
    using ymm = Xbyak::Ymm;
    using xmm_t = Xbyak::Xmm;
    using reg = Xbyak::Reg64;
    using arguments = sweep_arguments<float>;
    static constexpr isa I = isa::avx2;
    static constexpr int VECTORS = FORWARD_LANES<float> / VECTOR_WIDTH<I, float>;
    static constexpr int GROUP = SHORT_SWEEP_GROUP, FLOAT = sizeof(float);
    // Each of the three steps takes so many rows in a go: then a processor works on several at once.
    static constexpr int TOGETHER = 4 * GROUP;
    // In the frame: of each row the folded lanes, then minus its pivot.
    static constexpr int LANES_BYTES = vector_traits<I>::bytes, PIVOTS = TOGETHER * LANES_BYTES;

public:
    explicit short_sweep_generator(const sweep_conf &conf) : conf_(conf) {
        conf_.vectors = I;
        generate();
    }
    std::string name() const { return kernel_name("short_sweep", conf_, {conf_.src}, {{!conf_.centered, "rms"}}); }

private:
    void generate() {
        open_frame(PIVOTS + TOGETHER * FLOAT);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        load_constants();
        xor_(reg_position_.cvt32(), reg_position_.cvt32());
        mov(reg_left_, reg_count_);
        sum_all();
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(reg_src_, arguments, src);
        JITNORM_LOAD_ARGUMENT(reg_stride_, arguments, row_stride);
        JITNORM_LOAD_ARGUMENT(reg_rows_, arguments, rows);
        JITNORM_LOAD_ARGUMENT(reg_count_, arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_pivot_, arguments, pivot);
        JITNORM_LOAD_ARGUMENT(reg_s_, arguments, s);
        JITNORM_LOAD_ARGUMENT(reg_q_, arguments, q);
    }

    void load_constants() {
        const auto broadcast = [&](const ymm &to, float value) {
            mov(reg_left_.cvt32(), std::bit_cast<uint32_t>(value));
            vmovd(xmm_t(to.getIdx()), reg_left_.cvt32());
            vbroadcastss(to, xmm_t(to.getIdx()));
        };
        broadcast(quarter_, 0.25F);
        broadcast(sign_, -0.0F);
    }

    void sum_all() {
        Xbyak::Label next, summed;
        L(next);
        mov(reg_end_.cvt32(), TOGETHER);
        cmp(reg_rows_, reg_end_);
        cmovb(reg_end_, reg_rows_);
        if (conf_.centered) find_pivots();
        xor_(reg_row_.cvt32(), reg_row_.cvt32());
        mov(reg_lanes_, rsp);
        emit_by_length<I, float>(*this, reg_count_, VECTORS, summed, [&](places vectors) { sum_rows(vectors); });
        L(summed);
        complete_group();
        fold_groups();
        sub(reg_rows_, TOGETHER);
        ja(next, T_NEAR);
    }

    // ---- pivots

    void find_pivots() {
        Xbyak::Label group, one_by_one, found;
        mov(reg_first_, reg_src_);
        xor_(reg_row_.cvt32(), reg_row_.cvt32());
        cmp(reg_count_, 4);
        jb(one_by_one, T_NEAR);
        L(group);
        lea(reg_lanes_, ptr[reg_row_ + GROUP]);
        cmp(reg_lanes_, reg_end_);
        ja(one_by_one, T_NEAR);
        find_pivots_of_group();
        add(reg_row_, GROUP);
        jmp(group, T_NEAR);
        L(one_by_one);
        cmp(reg_row_, reg_end_);
        jae(found, T_NEAR);
        find_pivot();
        inc(reg_row_);
        jmp(one_by_one, T_NEAR);
        L(found);
    }

    // Rows i and i + 4 are side by side.
    void find_pivots_of_group() {
        lea(reg_other_, ptr[reg_first_ + reg_stride_ * 4]);
        for (int i = 0; i < 4; ++i) {
            const ymm &four = x_[size_t(i)];
            io_.load_four(xmm_t(four.getIdx()), reg_first_, conf_.src);
            if (conf_.src == jitnorm_f32) {
                vinsertf128(four, four, ptr[reg_other_], 1);
            } else {
                io_.load_four(xmm_t(work_.getIdx()), reg_other_, conf_.src);
                vinsertf128(four, four, xmm_t(work_.getIdx()), 1);
            }
            vmulps(four, four, quarter_);
            add(reg_first_, reg_stride_);
            add(reg_other_, reg_stride_);
        }
        mov(reg_first_, reg_other_);
        vhaddps(x_[0], x_[0], x_[1]); // elements 0 + 1, 2 + 3 of each
        vhaddps(x_[2], x_[2], x_[3]);
        vhaddps(x_[0], x_[0], x_[2]);
        vmovups(ptr[reg_pivot_ + reg_row_ * FLOAT], x_[0]);
        vxorps(x_[0], x_[0], sign_);
        vmovups(ptr[rsp + reg_row_ * FLOAT + PIVOTS], x_[0]);
    }

    // The mean of the first four elements, or the first of fewer.
    void find_pivot() {
        const xmm_t pivot(x_[0].getIdx());
        Xbyak::Label few, found;
        cmp(reg_count_, 4);
        jb(few);
        io_.load_four(pivot, reg_first_, conf_.src);
        vmulps(pivot, pivot, xmm_t(quarter_.getIdx()));
        vhaddps(pivot, pivot, pivot);
        vhaddps(pivot, pivot, pivot);
        jmp(found);
        L(few);
        io_.load_first(pivot, reg_first_, conf_.src);
        L(found);
        vmovss(ptr[reg_pivot_ + reg_row_ * FLOAT], pivot);
        vxorps(pivot, pivot, xmm_t(sign_.getIdx()));
        vmovss(ptr[rsp + reg_row_ * FLOAT + PIVOTS], pivot);
        add(reg_first_, reg_stride_);
    }

    // ---- sums

    void sum_rows(places vectors) {
        Xbyak::Label next;
        L(next);
        if (conf_.centered) vbroadcastss(pivot_, ptr[rsp + reg_row_ * FLOAT + PIVOTS]);
        for (const place &p : vectors) {
            load_difference(x_[size_t(p.slot)], p);
            vmulps(q_[size_t(p.slot)], x_[size_t(p.slot)], x_[size_t(p.slot)]);
        }
        fold_lanes(q_, vectors.size());
        if (conf_.centered) fold_lanes(x_, vectors.size());
        keep_lanes(conf_.centered ? x_[0] : q_[0], q_[0]);
        add(reg_src_, reg_stride_);
        add(reg_lanes_, LANES_BYTES);
        inc(reg_row_);
        cmp(reg_row_, reg_end_);
        jb(next, T_NEAR);
    }

    // x - pivot
    void load_difference(const ymm &d, const place &p) {
        if (conf_.centered && conf_.src == jitnorm_f32 && !p.tail)
            return vaddps(d, pivot_, ptr[reg_src_ + p.slot * LANES_BYTES]);
        io_.load(d, reg_src_, p, conf_.src);
        if (conf_.centered) vaddps(d, d, pivot_);
        if (conf_.centered && p.tail) tail_.zero_absent(d);
    }

    // The first `present` registers hold lanes, the others would hold zeros.
    void fold_lanes(const std::array<ymm, VECTORS> &lanes, size_t present) {
        for (size_t width = VECTORS / 2; width > 0; width /= 2)
            for (size_t i = 0; i + width < std::min(present, 2 * width); ++i)
                vaddps(lanes[i], lanes[i], lanes[i + width]);
    }

    // Four lanes of either sum, side by side.
    void keep_lanes(const ymm &s, const ymm &q) {
        vperm2f128(work_, s, q, 0x20);
        vperm2f128(q, s, q, 0x31);
        vaddps(work_, work_, q);
        vmovaps(ptr[reg_lanes_], work_);
    }

    // Rows that are not there fill the last group up.
    void complete_group() {
        Xbyak::Label next, complete;
        vxorps(work_, work_, work_);
        L(next);
        test(reg_row_, GROUP - 1);
        jz(complete);
        vmovaps(ptr[reg_lanes_], work_);
        add(reg_lanes_, LANES_BYTES);
        inc(reg_row_);
        jmp(next);
        L(complete);
    }

    void fold_groups() {
        Xbyak::Label next;
        mov(reg_lanes_, rsp);
        L(next);
        fold_group();
        add(reg_lanes_, GROUP * LANES_BYTES);
        for (const reg &values : {reg_pivot_, reg_s_, reg_q_}) add(values, GROUP * FLOAT);
        sub(reg_row_, GROUP);
        ja(next);
    }

    void fold_group() {
        const auto lanes = [&](int row) { return ptr[reg_lanes_ + row * LANES_BYTES]; };
        for (int pair = 0; pair < GROUP / 2; ++pair) {
            vmovaps(work_, lanes(2 * pair));
            vunpcklpd(x_[size_t(pair)], work_, lanes(2 * pair + 1)); // lanes 0 and 1 of both
            vunpckhpd(work_, work_, lanes(2 * pair + 1));            // lanes 2 and 3
            vaddps(x_[size_t(pair)], x_[size_t(pair)], work_);
        }
        for (const size_t half : {0, 1}) {
            const ymm &first = x_[2 * half], &second = x_[2 * half + 1];
            const int at = int(half) * GROUP / 2 * FLOAT;
            vshufps(work_, first, second, 0x88); // even lanes
            vshufps(first, first, second, 0xDD);
            vaddps(first, work_, first);
            if (conf_.centered) vmovups(ptr[reg_s_ + at], xmm_t(first.getIdx()));
            vextractf128(ptr[reg_q_ + at], first, 1);
        }
    }

    sweep_conf conf_;
    const reg &reg_src_ = rsi, &reg_stride_ = rdx, &reg_rows_ = rcx, &reg_count_ = r8;
    const reg &reg_pivot_ = r9, &reg_s_ = r10, &reg_q_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_row_ = r12, &reg_end_ = r14, &reg_lanes_ = r15;
    const reg &reg_first_ = rdi, &reg_other_ = r13; // rdi: no argument is left to read
    const std::array<ymm, VECTORS> x_{ymm(0), ymm(1), ymm(2), ymm(3)}, q_{ymm(4), ymm(5), ymm(6), ymm(7)};
    const ymm work_{8}, pivot_{9}, quarter_{10}, sign_{11};
    tail_mask<I, float> tail_{*this, ymm(12)};
    row_walker<I, float> walker_{*this, reg_position_, reg_left_};
    element_io<I, float> io_{*this, tail_, walker_, reg_other_};
};

template <isa, typename>
using generator_for_any = short_sweep_generator;

} // namespace

code_ptr make_short_sweep(const sweep_conf &conf) { return make_kernel<generator_for_any, float>(conf); }

} // namespace jitnorm::impl::jit
