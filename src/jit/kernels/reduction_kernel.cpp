// SPDX-License-Identifier: Apache-2.0
#include "../emit/affine.hpp"
#include "../emit/loops.hpp"
#include "../emit/sums.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"
#include "short_reduction.hpp"

namespace jitnorm::impl::jit {

namespace {

class reduction_generator : public kernel_generator {
    using arguments = reduction_arguments<float>;
    // Groups of so many rows, whose pivots are found and whose lanes are added up together. The rows' lanes are in the
    // frame, behind those of the chunk.
    static constexpr int GROUP = sums_of_eight::ROWS;

public:
    explicit reduction_generator(const reduction_conf &conf) : kernel_generator(kind_of(conf)), conf_(conf) {
        for (size_t i = 0; i < q_.size(); ++i) {
            if (conf.centered) sums_.push_back(s_[i]);
            sums_.push_back(q_[i]);
        }
        generate();
    }
    std::string name() const {
        return kernel_name("reduction", kind, {conf_.src}, {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}});
    }

private:
    void generate() {
        open_frame(group_lanes_ + GROUP * sums_of_eight::ROW_BYTES);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        prepare_loads();
        rows_.begin();
        if (has_groups()) sum_groups();
        rows_.step(1, [&] { sum_row(); });
        close_frame();
    }

    // At most one of these three needs the register.
    void prepare_loads() {
        const vmm kept = registers.take_vector();
        if (unpacks()) io_.use_unpack_order(kept);
        if (conf_.src == jitnorm_bf16) io_.permute_bf16(kept);
        if (uses_products()) products_.keep(kept);
    }

    // Then pairs of vectors are in unpack order, and so are the lanes.
    bool unpacks() const { return unpacks_for_less(kind, conf_.src); }
    // By products S takes all differences if additions share their pipes with conversions. It takes every other one if
    // nothing is converted: then additions and products have equal work.
    bool uses_products() const {
        return conf_.centered && (widens_like_adding(conf_.src) || conf_.src == conf_.compute);
    }
    bool subtracts_by_products(size_t slot) const {
        return uses_products() && (widens_like_adding(conf_.src) || slot % 2 != 0);
    }
    bool has_groups() const { return !kind.is_f64() && !conf_.repeated; }
    bool finds_pivots() const { return conf_.centered && !conf_.repeated; }

    void load_arguments() {
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_stride_, JITNORM_ARGUMENT(row_stride));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_pivot_, JITNORM_ARGUMENT(pivot));
        mov(reg_s_, JITNORM_ARGUMENT(s));
        mov(reg_q_, JITNORM_ARGUMENT(q));
        if (conf_.repeated) ops.broadcast(factor_, JITNORM_ARGUMENT(factor));
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
            add_up_group();
        });
        L(end);
    }

    void find_pivots_of_group() {
        mov(reg_rest_, reg_src_);
        pivots_.find_eight(four_, ymm_of(d_[0]), reg_rest_, reg_stride_, reg_lanes_);
        vmovups(ptr[rows_.numbers(reg_pivot_)], four_[0]);
    }

    void sum_rows_of_group() {
        Xbyak::Label row;
        lea(reg_lanes_, ptr[rsp + group_lanes_]);
        L(row);
        if (conf_.centered) ops.broadcast(pivot_, ptr[rows_.numbers(reg_pivot_)]);
        sum_chunk();
        const Xbyak::Ymm q = total_.to_ymm(q_), s = conf_.centered ? total_.to_ymm(s_) : q;
        eight_.keep(ptr[reg_lanes_], s, q);
        add(reg_lanes_, sums_of_eight::ROW_BYTES);
        rows_.move_on();
        test(reg_index_, GROUP - 1);
        jnz(row, T_NEAR);
    }

    void add_up_group() {
        const auto numbers = [&](const reg &array, int row) {
            return ptr[rows_.numbers(array) + (row - GROUP) * kind.element()]; // the loop is behind the group now
        };
        eight_.add_up(rsp + group_lanes_, [&](int row, const Xbyak::Ymm &sums) {
            if (conf_.centered) vmovups(numbers(reg_s_, row), xmm_of(sums));
            vextractf128(numbers(reg_q_, row), sums, 1);
        });
    }

    // Sums up one of the rows that groups leave over.
    void sum_row() {
        if (conf_.repeated && conf_.centered) ops.broadcast(pivot_, ptr[rows_.numbers(reg_pivot_)]);
        if (finds_pivots()) {
            const Xbyak::Xmm pivot = xmm_of(d_[0]);
            pivots_.find(pivot, d_[1], reg_src_);
            ops.store_lowest(ptr[rows_.numbers(reg_pivot_)], pivot);
            ops.broadcast(pivot_, pivot);
        }
        sum_chunk();
        if (conf_.centered) store_sum(reg_s_, s_);
        store_sum(reg_q_, q_);
    }

    void store_sum(const reg &array, lanes sum) { ops.store_lowest(ptr[rows_.numbers(array)], total_.to_lowest(sum)); }

    void sum_chunk() {
        blocks_.sum(sums_, int(q_.size()), [&](places vectors) {
            difference_.emit_all(d_, pivot_, reg_src_, vectors);
            for (const place &p : vectors) {
                if (conf_.centered && p.tail) tail_.zero_absent(d_[size_t(p.slot)]);
                unpacks() && !io_.in_unpack_order(vectors) ? accumulate_spread(size_t(p.slot))
                                                           : accumulate(size_t(p.slot));
            }
        });
    }

    void accumulate_spread(size_t slot) {
        const size_t first = slot - slot % 2, second = first + 1;
        spread_to_unpack_order(*this, ymm_of(d_[first]), ymm_of(d_[second]), slot == second);
        accumulate(first);
        accumulate(second);
    }

    void accumulate(size_t slot) {
        const vmm &d = d_[slot];
        if (conf_.repeated) ops.mul(d, d, factor_);
        if (subtracts_by_products(slot))
            products_.subtract(s_[slot], d);
        else if (conf_.centered)
            ops.sub(s_[slot], s_[slot], d);
        ops.fma231(q_[slot], d, d);
    }

    const reduction_conf conf_;
    const reg reg_src_ = registers.take(rsi), reg_stride_ = registers.take(rdx), reg_count_ = registers.take(r8);
    const reg reg_pivot_ = registers.take(r9), reg_s_ = registers.take(r10), reg_q_ = registers.take(r11);
    const reg reg_position_ = registers.take(rax), reg_left_ = registers.take(rbx), reg_rest_ = registers.take(r12);
    const reg reg_index_ = registers.take(r14), reg_lanes_ = registers.take(r15), reg_io_ = registers.take(r13);
    // The registers for the lanes of each sum, and for the differences of as many vectors.
    const std::vector<vmm> s_ = registers.take_vectors(forward_vectors(kind));
    const std::vector<vmm> q_ = registers.take_vectors(forward_vectors(kind));
    const std::vector<vmm> d_ = registers.take_vectors(forward_vectors(kind));
    std::vector<vmm> sums_;
    const int group_lanes_ = 2 * forward_vectors(kind) * kind.bytes();
    const vmm pivot_ = registers.take_vector(), factor_ = registers.take_vector(); // 0.25 where there is no factor
    const std::array<Xbyak::Ymm, 4> four_ = first_four(s_, q_);                    // while the lanes are not in use
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_};
    row_loop rows_{*this, reg_index_, reg_left_, JITNORM_ARGUMENT(rows), {{{reg_src_}, reg_stride_}}};
    unit_products products_{*this};
    centered_load difference_{*this, io_, conf_.src, conf_.centered};
    pivots pivots_{*this, io_, conf_.src, reg_count_, factor_};
    blocked_sum blocks_{*this, loop_, reg_count_, reg_rest_};
    horizontal_sum total_{*this, d_[0], unpacks()};
    sums_of_eight eight_{*this, four_, ymm_of(d_[0])};
};

} // namespace

code_ptr code_of(const reduction_conf &conf) {
    return conf.short_rows ? make_short_reduction(conf) : make_kernel<reduction_generator>(conf);
}

} // namespace jitnorm::impl::jit
