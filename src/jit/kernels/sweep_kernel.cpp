// SPDX-License-Identifier: Apache-2.0
#include "sweep_kernel.hpp"

#include <array>

#include "../emit/block_loop.hpp"
#include "../emit/centered_load.hpp"
#include "../emit/lane_fold.hpp"
#include "../emit/pivots.hpp"
#include "../emit/row_stepper.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"
#include "short_sweep.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::FORWARD_LANES;

template <isa I, typename T>
class sweep_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = sweep_arguments<T>;
    static constexpr int VECTORS = FORWARD_LANES<T> / VECTOR_WIDTH<I, T>; // registers per sum, and the unroll
    // Groups of so many rows, whose pivots are found and whose lanes are folded together. The rows' lanes are in the
    // frame, behind those of the chunk.
    static constexpr int GROUP = fold_of_eight::ROWS;
    static constexpr int GROUP_LANES = 2 * VECTORS * traits::bytes;

public:
    explicit sweep_generator(const sweep_conf &conf) : conf_(conf) {
        for (int i = 0; i < VECTORS; ++i) {
            if (conf.centered) sums_.push_back(s_[size_t(i)]);
            sums_.push_back(q_[size_t(i)]);
        }
        generate();
    }
    std::string name() const {
        return kernel_name("sweep", conf_, {conf_.src}, {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}});
    }

private:
    void generate() {
        open_frame(GROUP_LANES + GROUP * fold_of_eight::ROW_BYTES);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if (crosses()) io_.cross(vmm(3 * VECTORS + 3));
        if (conf_.src == jitnorm_bf16) io_.permute_bf16(vmm(3 * VECTORS + 3));
        if (uses_products()) products_.keep(vmm(3 * VECTORS + 3));
        rows_.begin();
        if (has_groups()) sum_groups();
        rows_.step(1, [&] { sum_row(); });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
        products_.emit_rest();
    }

    // Then pairs of vectors are crossed, and so are the lanes.
    bool crosses() const { return crosses_for_less<I, T>(conf_.src); }
    // By products S takes all differences if additions share their pipes with conversions. It takes every other one if
    // nothing is converted: then additions and products have equal work.
    bool uses_products() const {
        return conf_.centered && (widens_like_adding(conf_.src) || conf_.src == conf_.compute);
    }
    bool subtracts_by_products(size_t slot) const {
        return uses_products() && (widens_like_adding(conf_.src) || slot % 2 != 0);
    }
    bool has_groups() const { return std::is_same_v<T, float> && !conf_.repeated; }
    bool finds_pivots() const { return conf_.centered && !conf_.repeated; }

    void load_arguments() {
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_stride_, JITNORM_ARGUMENT(row_stride));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_pivot_, JITNORM_ARGUMENT(pivot));
        mov(reg_s_, JITNORM_ARGUMENT(s));
        mov(reg_q_, JITNORM_ARGUMENT(q));
        if (conf_.repeated) ops_.broadcast(factor_, JITNORM_ARGUMENT(factor));
        if (finds_pivots()) pivots_.begin(reg_left_);
    }

    // Sums up as many groups as there are, but none of rows with fewer than four elements, whose pivots are found in
    // another way.
    void sum_groups() {
        Xbyak::Label end;
        cmp(reg_count_, 4);
        jb(end, T_NEAR);
        rows_.while_left(GROUP, [&] {
            if (conf_.centered) find_pivots_of_group();
            sum_rows_of_group();
            fold_group();
        });
        L(end);
    }

    void find_pivots_of_group() {
        mov(reg_rest_, reg_src_);
        pivots_.find_eight(four_, d_four_, reg_rest_, reg_stride_, reg_lanes_);
        vmovups(ptr[rows_.numbers(reg_pivot_)], four_[0]);
    }

    void sum_rows_of_group() {
        Xbyak::Label row;
        lea(reg_lanes_, ptr[rsp + GROUP_LANES]);
        L(row);
        if (conf_.centered) ops_.broadcast(pivot_, ptr[rows_.numbers(reg_pivot_)]);
        sum_chunk();
        const ymm_t q = fold_.to_ymm(q_), s = conf_.centered ? fold_.to_ymm(s_) : q;
        fold_of_eight_.keep(ptr[reg_lanes_], s, q);
        add(reg_lanes_, fold_of_eight::ROW_BYTES);
        rows_.move_on();
        test(reg_index_, GROUP - 1);
        jnz(row, T_NEAR);
    }

    void fold_group() {
        const auto numbers = [&](const reg &array, int row) {
            return ptr[rows_.numbers(array) + (row - GROUP) * int(sizeof(T))]; // the stepper is behind the group now
        };
        fold_of_eight_.fold(rsp + GROUP_LANES, [&](int row, const ymm_t &sums) {
            if (conf_.centered) vmovups(numbers(reg_s_, row), xmm_t(sums.getIdx()));
            vextractf128(numbers(reg_q_, row), sums, 1);
        });
    }

    // Sums up one of the rows that groups leave over.
    void sum_row() {
        if (conf_.repeated && conf_.centered) ops_.broadcast(pivot_, ptr[rows_.numbers(reg_pivot_)]);
        if (finds_pivots()) {
            const xmm_t pivot(d_[0].getIdx());
            pivots_.find(pivot, xmm_t(d_[1].getIdx()), reg_src_);
            ops_.store_lowest(ptr[rows_.numbers(reg_pivot_)], pivot);
            ops_.broadcast(pivot_, pivot);
        }
        sum_chunk();
        if (conf_.centered) store_sum(reg_s_, s_);
        store_sum(reg_q_, q_);
    }

    void store_sum(const reg &array, const std::array<vmm, VECTORS> &lanes) {
        ops_.store_lowest(ptr[rows_.numbers(array)], fold_.to_lowest(lanes));
    }

    void sum_chunk() {
        blocks_.sum(sums_, VECTORS, [&](places vectors) {
            difference_.emit_all(d_, pivot_, reg_src_, vectors);
            for (const place &p : vectors) {
                if (conf_.centered && p.tail) tail_.zero_absent(d_[size_t(p.slot)]);
                crosses() && !io_.crosses(vectors) ? accumulate_spread(size_t(p.slot)) : accumulate(size_t(p.slot));
            }
        });
    }

    void accumulate_spread(size_t slot) {
        const size_t first = slot - slot % 2, second = first + 1;
        crossing(*this).spread(ymm_t(d_[first].getIdx()), ymm_t(d_[second].getIdx()), slot == second);
        accumulate(first);
        accumulate(second);
    }

    void accumulate(size_t slot) {
        const vmm &d = d_[slot];
        if (conf_.repeated) ops_.mul(d, d, factor_);
        if (subtracts_by_products(slot))
            products_.subtract(s_[slot], d);
        else if (conf_.centered)
            ops_.sub(s_[slot], s_[slot], d);
        ops_.fma231(q_[slot], d, d);
    }

    sweep_conf conf_;
    const reg &reg_src_ = rsi, &reg_stride_ = rdx, &reg_count_ = r8, &reg_pivot_ = r9, &reg_s_ = r10, &reg_q_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_rest_ = r12, &reg_index_ = r14, &reg_lanes_ = r15;
    const std::array<vmm, VECTORS> s_ = registers_from<vmm, VECTORS>(0), q_ = registers_from<vmm, VECTORS>(VECTORS);
    const std::array<vmm, VECTORS> d_ = registers_from<vmm, VECTORS>(2 * VECTORS);
    std::vector<vmm> sums_;
    const vmm pivot_{3 * VECTORS}, factor_{3 * VECTORS + 1};        // 0.25 where there is no factor
    const std::array<ymm_t, 4> four_ = registers_from<ymm_t, 4>(0); // while the lanes are not in use
    const ymm_t d_four_{2 * VECTORS};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{3 * VECTORS + 2}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r13};
    row_stepper<T, reg> rows_{*this, reg_index_, reg_left_, JITNORM_ARGUMENT(rows), {{{reg_src_}, reg_stride_}}};
    unit_products<I, T> products_{*this};
    centered_load<I, T> difference_{*this, io_, conf_.src, conf_.centered};
    pivots<I, T> pivots_{*this, io_, conf_.src, reg_count_, factor_.getIdx()};
    block_loop<I, T> blocks_{*this, walker_, reg_count_, reg_rest_};
    lane_fold<I, T> fold_{*this, xmm_t(d_[0].getIdx()), crosses()};
    fold_of_eight fold_of_eight_{*this, four_, d_four_};
};

} // namespace

code_ptr code_of(const sweep_conf &conf) {
    return conf.short_rows ? make_short_sweep(conf) : make_kernel<sweep_generator>(conf);
}

} // namespace jitnorm::impl::jit
