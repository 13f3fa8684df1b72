// SPDX-License-Identifier: Apache-2.0
#include "short_reduction.hpp"

#include <algorithm>
#include <array>

#include "../emit/sums.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

class short_reduction_generator : public kernel_generator {
    using arguments = reduction_arguments<float>;
    static constexpr int GROUP = sums_of_eight::ROWS, FLOAT = sizeof(float);
    static_assert(GROUP == SHORT_REDUCTION_GROUP);
    // Each of the three steps takes so many rows at a time, so that a processor can work on several rows at once.
    static constexpr int ROWS_PER_PASS = 4 * GROUP;
    // In the frame are the lanes of each row, four of each sum, then the negated pivot of each row.
    static constexpr int LANES_BYTES = sums_of_eight::ROW_BYTES, PIVOTS = ROWS_PER_PASS * LANES_BYTES;

public:
    explicit short_reduction_generator(const reduction_conf &conf) : kernel_generator(kind_of(conf)), conf_(conf) {
        generate();
    }
    std::string name() const { return kernel_name("short_reduction", kind, {conf_.src}, {{!conf_.centered, "rms"}}); }

private:
    void generate() {
        open_frame(PIVOTS + ROWS_PER_PASS * FLOAT);
        load_arguments();
        tail_.prepare(reg_count_, reg_end_, reg_row_);
        load_constants();
        sum_all();
        close_frame();
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
        ops.broadcast_number(one_, 1, reg_row_);
        ops.broadcast_number(sign_, -0.0, reg_row_);
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
        loop_.walk_straight(SHORT_REDUCTION_VECTORS, summed, [&](places vectors) { sum_rows(vectors); });
        L(summed);
        complete_group();
        add_up_groups();
        sub(reg_rows_, ROWS_PER_PASS);
        ja(next, NEAR);
    }

    // ---- pivots

    void find_pivots() {
        Xbyak::Label group, one_by_one, found;
        mov(reg_first_, reg_src_);
        xor_(reg_row_.cvt32(), reg_row_.cvt32());
        cmp(reg_count_, 4);
        jb(one_by_one, NEAR);
        L(group);
        lea(reg_lanes_, ptr[reg_row_ + GROUP]);
        cmp(reg_lanes_, reg_end_);
        ja(one_by_one, NEAR);
        find_pivots_of_group();
        add(reg_row_, GROUP);
        jmp(group, NEAR);
        L(one_by_one);
        cmp(reg_row_, reg_end_);
        jae(found, NEAR);
        find_pivot();
        inc(reg_row_);
        jmp(one_by_one, NEAR);
        L(found);
    }

    void find_pivots_of_group() {
        pivots_.find_eight(four_, work_, reg_first_, reg_stride_, reg_other_);
        vmovups(ptr[reg_pivot_ + reg_row_ * FLOAT], four_[0]);
        vxorps(four_[0], four_[0], sign_);
        vmovups(ptr[rsp + reg_row_ * FLOAT + PIVOTS], four_[0]);
    }

    void find_pivot() {
        const Xbyak::Xmm pivot = xmm_of(four_[0]);
        pivots_.find(pivot, work_, reg_first_);
        vmovss(ptr[reg_pivot_ + reg_row_ * FLOAT], pivot);
        vxorps(pivot, pivot, xmm_of(sign_));
        vmovss(ptr[rsp + reg_row_ * FLOAT + PIVOTS], pivot);
        add(reg_first_, reg_stride_);
    }

    // ---- sums

    void sum_rows(places vectors) {
        Xbyak::Label next;
        L(next);
        if (conf_.centered) ops.broadcast(minus_pivot_, ptr[rsp + reg_row_ * FLOAT + PIVOTS]);
        for (const place &p : vectors) add_vector(p);
        const Xbyak::Ymm q = total_.to_ymm(lanes_of(q_, vectors)),
                         s = conf_.centered ? total_.to_ymm(lanes_of(s_, vectors)) : q;
        eight_.keep(ptr[reg_lanes_], s, q);
        add(reg_src_, reg_stride_);
        add(reg_lanes_, LANES_BYTES);
        inc(reg_row_);
        cmp(reg_row_, reg_end_);
        jb(next, NEAR);
    }

    // The first vectors of a row initialize the lanes. Later differences are added to S by an FMA with one: on AMD
    // processors the units for additions are not those for FMAs, and the differences already occupy them.
    void add_vector(const place &p) {
        const size_t lanes = size_t(p.slot) % q_.size();
        const bool first = size_t(p.slot) < q_.size();
        const vmm &d = first ? s_[lanes] : d_[size_t(p.slot) % 2], &q = q_[lanes];
        load_difference(d, p);
        if (first) return ops.mul(q, d, d);
        if (conf_.centered) ops.fma231(s_[lanes], d, one_);
        ops.fma231(q, d, d);
    }

    // x - pivot
    void load_difference(const vmm &d, const place &p) {
        if (!conf_.centered) return io_.load(d, reg_src_, p, conf_.src);
        io_.use(d, reg_src_, p, conf_.src, [&](const place &, const Xbyak::Operand &x) {
            if (p.tail)
                tail_.sum_of_present(d, minus_pivot_, x);
            else
                ops.add(d, minus_pivot_, x);
        });
    }

    // Only the registers that hold lanes of the row; the others would be zero.
    static lanes lanes_of(lanes sums, places vectors) { return sums.first(std::min(vectors.size(), sums.size())); }

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

    void add_up_groups() {
        Xbyak::Label next;
        mov(reg_lanes_, rsp);
        L(next);
        add_up_group();
        add(reg_lanes_, GROUP * LANES_BYTES);
        for (const reg &values : {reg_pivot_, reg_s_, reg_q_}) add(values, GROUP * FLOAT);
        sub(reg_row_, GROUP);
        ja(next);
    }

    void add_up_group() {
        eight_.add_up(reg_lanes_, [&](int row, const Xbyak::Ymm &sums) {
            if (conf_.centered) vmovups(ptr[reg_s_ + row * FLOAT], xmm_of(sums));
            vextractf128(ptr[reg_q_ + row * FLOAT], sums, 1);
        });
    }

    const reduction_conf conf_;
    const reg reg_src_ = registers.take(rsi), reg_stride_ = registers.take(rdx), reg_rows_ = registers.take(rcx);
    const reg reg_count_ = registers.take(r8), reg_pivot_ = registers.take(r9), reg_s_ = registers.take(r10);
    const reg reg_q_ = registers.take(r11), reg_row_ = registers.take(r12), reg_end_ = registers.take(r14);
    const reg reg_lanes_ = registers.take(r15), reg_other_ = registers.take(r13);
    const reg reg_first_ = registers.take(rdi);                                // no argument is left to read
    const std::vector<vmm> s_ = registers.take_vectors(forward_vectors(kind)); // the lanes of each sum
    const std::vector<vmm> q_ = registers.take_vectors(forward_vectors(kind));
    const std::array<Xbyak::Ymm, 4> four_ = first_four(s_, q_); // while the lanes are not in use
    const Xbyak::Ymm work_ = ymm_of(registers.take_vector(8));
    const vmm minus_pivot_ = registers.take_vector(9), quarter_ = registers.take_vector(10);
    const Xbyak::Ymm sign_ = ymm_of(registers.take_vector(11));
    tail_mask tail_{*this, registers.take_vector(12)};
    const std::array<vmm, 2> d_{registers.take_vector(13), registers.take_vector(14)};
    const vmm one_ = registers.take_vector(15);
    vector_loop loop_{*this, reg_count_};
    element_io io_{*this, tail_, loop_, reg_other_};
    pivots pivots_{*this, io_, conf_.src, reg_count_, quarter_};
    horizontal_sum total_{*this, work_};
    sums_of_eight eight_{*this, four_, work_};
};

} // namespace

code_ptr make_short_reduction(const reduction_conf &conf) { return make_kernel<short_reduction_generator>(conf); }

} // namespace jitnorm::impl::jit
