// SPDX-License-Identifier: Apache-2.0
#include "short_sweep.hpp"

#include <array>

#include "../emit/lane_fold.hpp"
#include "../emit/pivots.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"
#include "sweep_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::FORWARD_LANES;

template <isa I>
class short_sweep_generator : public kernel_generator {
    using vmm = typename vector_traits<I>::vmm;
    using arguments = sweep_arguments<float>;
    static constexpr int VECTORS = FORWARD_LANES<float> / VECTOR_WIDTH<I, float>; // registers per sum
    static constexpr int GROUP = fold_of_eight::ROWS, FLOAT = sizeof(float);
    static_assert(GROUP == SHORT_SWEEP_GROUP);
    // Each of the three steps takes so many rows at a time, so that a processor can work on several rows at once.
    static constexpr int ROWS_PER_PASS = 4 * GROUP;
    // In the frame are the folded lanes of each row, then the negated pivot of each row.
    static constexpr int LANES_BYTES = fold_of_eight::ROW_BYTES, PIVOTS = ROWS_PER_PASS * LANES_BYTES;

public:
    explicit short_sweep_generator(const sweep_conf &conf) : kernel_generator(2 * MAX_KERNEL_BYTES), conf_(conf) {
        generate();
    }
    std::string name() const { return kernel_name("short_sweep", conf_, {conf_.src}, {{!conf_.centered, "rms"}}); }

private:
    void generate() {
        open_frame(PIVOTS + ROWS_PER_PASS * FLOAT);
        load_arguments();
        tail_.prepare(reg_count_, reg_end_, reg_row_);
        load_constants();
        sum_all();
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void load_arguments() {
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_stride_, JITNORM_ARGUMENT(row_stride));
        mov(reg_rows_, JITNORM_ARGUMENT(rows));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_pivot_, JITNORM_ARGUMENT(pivot));
        mov(reg_s_, JITNORM_ARGUMENT(s));
        mov(reg_q_, JITNORM_ARGUMENT(q));
    }

    void load_constants() {
        pivots_.begin(reg_row_);
        ops_.broadcast_number(one_, 1.0F, reg_row_);
        ops_.broadcast_number(sign_, -0.0F, reg_row_);
    }

    void sum_all() {
        Xbyak::Label next, summed;
        L(next);
        mov(reg_end_.cvt32(), ROWS_PER_PASS);
        cmp(reg_rows_, reg_end_);
        cmovb(reg_end_, reg_rows_);
        if (conf_.centered) find_pivots();
        xor_(reg_row_.cvt32(), reg_row_.cvt32());
        mov(reg_lanes_, rsp);
        walker_.walk_straight(SHORT_SWEEP_VECTORS, summed, [&](places vectors) { sum_rows(vectors); });
        L(summed);
        complete_group();
        fold_groups();
        sub(reg_rows_, ROWS_PER_PASS);
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

    void find_pivots_of_group() {
        pivots_.find_eight(four_, work_, reg_first_, reg_stride_, reg_other_);
        vmovups(ptr[reg_pivot_ + reg_row_ * FLOAT], four_[0]);
        vxorps(four_[0], four_[0], sign_);
        vmovups(ptr[rsp + reg_row_ * FLOAT + PIVOTS], four_[0]);
    }

    void find_pivot() {
        const xmm_t pivot(four_[0].getIdx());
        pivots_.find(pivot, xmm_t(work_.getIdx()), reg_first_);
        vmovss(ptr[reg_pivot_ + reg_row_ * FLOAT], pivot);
        vxorps(pivot, pivot, xmm_t(sign_.getIdx()));
        vmovss(ptr[rsp + reg_row_ * FLOAT + PIVOTS], pivot);
        add(reg_first_, reg_stride_);
    }

    // ---- sums

    void sum_rows(places vectors) {
        Xbyak::Label next;
        L(next);
        if (conf_.centered) ops_.broadcast(minus_pivot_, ptr[rsp + reg_row_ * FLOAT + PIVOTS]);
        for (const place &p : vectors) add_vector(p);
        const ymm_t q = fold_.to_ymm(lanes_of(q_, vectors)),
                    s = conf_.centered ? fold_.to_ymm(lanes_of(s_, vectors)) : q;
        fold_of_eight_.keep(ptr[reg_lanes_], s, q);
        add(reg_src_, reg_stride_);
        add(reg_lanes_, LANES_BYTES);
        inc(reg_row_);
        cmp(reg_row_, reg_end_);
        jb(next, T_NEAR);
    }

    // The first vectors of a row initialize the lanes. Later differences are added to S by an FMA with one: on AMD
    // processors the units for additions are not those for FMAs, and the differences already occupy them.
    void add_vector(const place &p) {
        const size_t lanes = size_t(p.slot) % VECTORS;
        const bool first = p.slot < VECTORS;
        const vmm &d = first ? s_[lanes] : d_[size_t(p.slot) % 2], &q = q_[lanes];
        load_difference(d, p);
        if (first) return ops_.mul(q, d, d);
        if (conf_.centered) ops_.fma231(s_[lanes], d, one_);
        ops_.fma231(q, d, d);
    }

    // x - pivot
    void load_difference(const vmm &d, const place &p) {
        if (!conf_.centered) return io_.load(d, reg_src_, p, conf_.src);
        io_.use(d, reg_src_, p, conf_.src, [&](const Xbyak::Operand &x) {
            if (p.tail)
                tail_.sum_of_present(d, minus_pivot_, x);
            else
                ops_.add(d, minus_pivot_, x);
        });
    }

    // Only the registers that hold lanes of the row; the others would be zero.
    static std::span<const vmm> lanes_of(const std::array<vmm, VECTORS> &sums, places vectors) {
        return std::span(sums).first(std::min(vectors.size(), sums.size()));
    }

    // Fills up the last group with rows of zeros.
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
        fold_of_eight_.fold(reg_lanes_, [&](int row, const ymm_t &sums) {
            if (conf_.centered) vmovups(ptr[reg_s_ + row * FLOAT], xmm_t(sums.getIdx()));
            vextractf128(ptr[reg_q_ + row * FLOAT], sums, 1);
        });
    }

    sweep_conf conf_;
    const reg &reg_src_ = rsi, &reg_stride_ = rdx, &reg_rows_ = rcx, &reg_count_ = r8;
    const reg &reg_pivot_ = r9, &reg_s_ = r10, &reg_q_ = r11;
    const reg &reg_row_ = r12, &reg_end_ = r14, &reg_lanes_ = r15;
    const reg &reg_first_ = rdi, &reg_other_ = r13; // rdi: no argument is left to read
    const std::array<vmm, VECTORS> s_ = registers_from<vmm, VECTORS>(0), q_ = registers_from<vmm, VECTORS>(VECTORS);
    const std::array<ymm_t, 4> four_ = registers_from<ymm_t, 4>(0); // while the lanes are not in use
    const ymm_t work_{8}, sign_{11};
    const vmm minus_pivot_{9}, one_{15};
    const std::array<vmm, 2> d_ = registers_from<vmm, 2>(13);
    vector_ops<float> ops_{*this};
    tail_mask<I, float> tail_{*this, vmm(12)};
    row_walker<I, float> walker_{*this, reg_count_};
    element_io<I, float> io_{*this, tail_, walker_, reg_other_};
    pivots<I, float> pivots_{*this, io_, conf_.src, reg_count_, 10};
    lane_fold<I, float> fold_{*this, xmm_t(work_.getIdx())};
    fold_of_eight fold_of_eight_{*this, four_, work_};
};

template <isa I, typename>
using generator_for_any = short_sweep_generator<I>;

} // namespace

code_ptr make_short_sweep(const sweep_conf &conf) { return make_kernel<generator_for_any>(conf); }

} // namespace jitnorm::impl::jit
