// SPDX-License-Identifier: Apache-2.0
#include "sweep_kernel.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "emit/element_io.hpp"
#include "emit/lane_fold.hpp"
#include "kernel_generator.hpp"
#include "make_kernel.hpp"
#include "short_sweep.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::BLOCK;
using layer_norm::FORWARD_LANES;

template <isa I, typename T>
class sweep_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using xmm_t = Xbyak::Xmm;
    using reg = Xbyak::Reg64;
    using arguments = sweep_arguments<T>;
    static constexpr int VECTORS = FORWARD_LANES<T> / VECTOR_WIDTH<I, T>; // registers per sum, and the unroll
    static constexpr int LANES_BYTES = FORWARD_LANES<T> * int(sizeof(T));
    static constexpr int GROUP = 8; // rows whose pivots are found and whose lanes are folded together
    static constexpr int GROUP_BYTES = GROUP * 32;
    static constexpr int GROUP_S = 2 * LANES_BYTES, GROUP_Q = GROUP_S + GROUP_BYTES; // in the frame, behind the chunk's
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;

public:
    explicit sweep_generator(const sweep_conf &conf) : conf_(conf) {
        for (int i = 0; i < VECTORS; ++i) {
            s_.emplace_back(i);
            q_.emplace_back(VECTORS + i);
            d_.emplace_back(2 * VECTORS + i);
        }
        generate();
    }
    std::string name() const {
        return kernel_name("sweep", conf_, {conf_.src}, {{!conf_.centered, "rms"}, {conf_.repeated, "repeated"}});
    }

private:
    void generate() {
        open_frame(GROUP_Q + GROUP_BYTES);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if (has_groups()) sum_groups();
        sum_rows();
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    bool has_groups() const { return std::is_same_v<T, float> && !conf_.repeated; }

    // As many groups as there are. Rows of fewer than four elements have another pivot.
    void sum_groups() {
        Xbyak::Label group, row, end;
        cmp(reg_count_, 4);
        jb(end, T_NEAR);
        L(group);
        cmp(reg_rows_, GROUP);
        jb(end, T_NEAR);
        if (conf_.centered) find_pivots();
        xor_(reg_index_.cvt32(), reg_index_.cvt32());
        L(row);
        {
            if (conf_.centered) ops_.broadcast(vmm_pivot_, ptr[reg_pivot_ + reg_index_]);
            sum_blocks();
            keep_lanes();
            add(reg_src_, reg_stride_);
            add(reg_index_, int(sizeof(T)));
            cmp(reg_index_, GROUP * int(sizeof(T)));
        }
        jb(row, T_NEAR);
        fold_group();
        move_on(GROUP);
        jmp(group, T_NEAR);
        L(end);
    }

    // The pivots of a group: rows i and i + 4 are side by side.
    void find_pivots() {
        const auto four = [](int i) { return Xbyak::Ymm(i); }; // the lanes are not in use
        const xmm_t other(d_[0].getIdx());
        const Xbyak::Ymm quarter(vmm_factor_.getIdx());
        mov(reg_left_.cvt32(), std::bit_cast<uint32_t>(0.25F));
        vmovd(xmm_t(quarter.getIdx()), reg_left_.cvt32());
        vbroadcastss(quarter, xmm_t(quarter.getIdx()));
        mov(reg_left_, reg_src_);
        lea(reg_rest_, ptr[reg_src_ + reg_stride_ * 4]);
        for (int i = 0; i < 4; ++i) {
            io_.load_four(xmm_t(i), reg_left_, conf_.src);
            io_.load_four(other, reg_rest_, conf_.src);
            vinsertf128(four(i), four(i), other, 1);
            vmulps(four(i), four(i), quarter);
            add(reg_left_, reg_stride_);
            add(reg_rest_, reg_stride_);
        }
        vhaddps(four(0), four(0), four(1)); // elements 0 + 1, 2 + 3 of each
        vhaddps(four(2), four(2), four(3));
        vhaddps(four(0), four(0), four(2));
        vmovups(ptr[reg_pivot_], four(0));
    }

    // A row's lanes, folded to a ymm, wait for those of its group.
    void keep_lanes() {
        const auto keep = [&](const std::vector<vmm> &lanes, int frame) {
            emit_fold_to_ymm<I, T>(*this, lanes, xmm_t(d_[0].getIdx()));
            vmovups(ptr[rsp + reg_index_ * (GROUP_BYTES / GROUP / int(sizeof(T))) + frame],
                    Xbyak::Ymm(lanes[0].getIdx()));
        };
        if (conf_.centered) keep(s_, GROUP_S);
        keep(q_, GROUP_Q);
    }

    void fold_group() {
        const std::array v = {Xbyak::Ymm(0), Xbyak::Ymm(1), Xbyak::Ymm(2), Xbyak::Ymm(3)};
        const auto fold = [&](int frame, const reg &to) {
            emit_fold_eight(*this, rsp + frame, v, Xbyak::Ymm(d_[0].getIdx()));
            vmovups(ptr[to], v[0]);
        };
        if (conf_.centered) fold(GROUP_S, reg_s_);
        fold(GROUP_Q, reg_q_);
    }

    // The rows that are left, one by one.
    void sum_rows() {
        Xbyak::Label row, end;
        test(reg_rows_, reg_rows_);
        jz(end, T_NEAR);
        L(row);
        {
            load_pivot();
            sum_blocks();
            store_sums();
            add(reg_src_, reg_stride_);
            move_on(1);
        }
        jnz(row, T_NEAR);
        L(end);
    }

    // The last instruction tells whether rows are left.
    void move_on(int rows) {
        for (const reg &values : {reg_pivot_, reg_s_, reg_q_}) add(values, rows * int(sizeof(T)));
        sub(reg_rows_, rows);
    }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(reg_src_, arguments, src);
        JITNORM_LOAD_ARGUMENT(reg_stride_, arguments, row_stride);
        JITNORM_LOAD_ARGUMENT(reg_rows_, arguments, rows);
        JITNORM_LOAD_ARGUMENT(reg_count_, arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_pivot_, arguments, pivot);
        JITNORM_LOAD_ARGUMENT(reg_s_, arguments, s);
        JITNORM_LOAD_ARGUMENT(reg_q_, arguments, q);
        if (conf_.repeated) ops_.broadcast(vmm_factor_, ptr[rdi + offsetof(arguments, factor)]);
    }

    // Broadcasts the pivot: the given one, or the mean of the first four elements, or the first of fewer.
    void load_pivot() {
        if (!conf_.centered) return;
        if (conf_.repeated) {
            ops_.broadcast(vmm_pivot_, ptr[reg_pivot_]);
            return;
        }
        const xmm_t first(d_[0].getIdx()), other(d_[1].getIdx());
        Xbyak::Label few, found;
        cmp(reg_count_, 4);
        jb(few);
        find_mean_of_four(first, other);
        jmp(found);
        L(few);
        io_.load_first(first, reg_src_, conf_.src);
        L(found);
        ops_.store_lowest(ptr[reg_pivot_], first);
        ops_.broadcast(vmm_pivot_, first);
    }

    // (x0 / 4 + x1 / 4) + (x2 / 4 + x3 / 4)
    void find_mean_of_four(const xmm_t &first, const xmm_t &other) {
        io_.load_four(first, reg_src_, conf_.src);
        if constexpr (std::is_same_v<T, float>) {
            mov(reg_left_.cvt32(), std::bit_cast<uint32_t>(0.25F));
            vmovd(other, reg_left_.cvt32());
            vbroadcastss(other, other);
            vmulps(first, first, other);
            vhaddps(first, first, first); // elements 0 + 1, 2 + 3
            vhaddps(first, first, first);
        } else {
            const Xbyak::Ymm four(first.getIdx()), quarter(other.getIdx());
            mov(reg_left_, std::bit_cast<uint64_t>(0.25));
            vmovq(other, reg_left_);
            vbroadcastsd(quarter, other);
            vmulpd(four, four, quarter);
            vhaddpd(four, four, four); // elements 0 + 1 below, 2 + 3 above
            vextractf128(other, four, 1);
            vaddsd(first, first, other);
        }
    }

    // The sums of a chunk, block by block; from the second block on the chunk's lanes are in the frame.
    void sum_blocks() {
        Xbyak::Label single, block, last, done;
        clear_lanes();
        cmp(reg_count_, int(BLOCK));
        jbe(single, T_NEAR);
        save_chunk_lanes();
        L(single);
        xor_(reg_position_.cvt32(), reg_position_.cvt32());
        mov(reg_rest_, reg_count_);
        L(block);
        mov(reg_left_, reg_rest_);
        cmp(reg_rest_, int(BLOCK));
        jbe(last, T_NEAR);
        mov(reg_left_.cvt32(), int(BLOCK));
        L(last);
        sub(reg_rest_, reg_left_);
        walker_.walk(VECTORS, [&](places vectors) {
            for (const place &p : vectors) accumulate(p);
        });
        cmp(reg_count_, int(BLOCK));
        jbe(done, T_NEAR); // a single block
        add_chunk_lanes();
        test(reg_rest_, reg_rest_);
        jz(done, T_NEAR);
        save_chunk_lanes();
        clear_lanes();
        jmp(block, T_NEAR);
        L(done);
    }

    // d = pivot - x: the sign is turned where it matters, so that the compute type is subtracted straight from memory
    void accumulate(const place &p) {
        const vmm &d = d_[size_t(p.slot)];
        if (conf_.centered && conf_.src == OWN && !p.tail) {
            ops_.sub(d, vmm_pivot_, ptr[walker_.at(reg_src_, p, sizeof(T))]);
        } else {
            io_.load(d, reg_src_, p, conf_.src);
            if (conf_.centered) ops_.sub(d, vmm_pivot_, d);
            if (conf_.centered && p.tail) tail_.zero_absent(d);
        }
        if (conf_.repeated) ops_.mul(d, d, vmm_factor_);
        if (conf_.centered) ops_.sub(s_[size_t(p.slot)], s_[size_t(p.slot)], d);
        ops_.fma231(q_[size_t(p.slot)], d, d);
    }

    template <typename Use> // void(const vmm &lanes, int frame offset)
    void for_each_sum(Use &&use) {
        for (int i = 0; i < VECTORS; ++i) {
            if (conf_.centered) use(s_[size_t(i)], i * traits::bytes);
            use(q_[size_t(i)], LANES_BYTES + i * traits::bytes);
        }
    }
    void clear_lanes() {
        for_each_sum([&](const vmm &lanes, int) { ops_.clear(lanes); });
    }
    void add_chunk_lanes() {
        for_each_sum([&](const vmm &lanes, int frame) { ops_.add(lanes, lanes, ptr[rsp + frame]); });
    }
    void save_chunk_lanes() {
        for_each_sum([&](const vmm &lanes, int frame) { vmovaps(ptr[rsp + frame], lanes); });
    }

    void store_sums() {
        const xmm_t scratch(d_[0].getIdx());
        if (conf_.centered) {
            emit_fold<I, T>(*this, s_, scratch);
            ops_.store_lowest(ptr[reg_s_], xmm_t(s_[0].getIdx()));
        }
        emit_fold<I, T>(*this, q_, scratch);
        ops_.store_lowest(ptr[reg_q_], xmm_t(q_[0].getIdx()));
    }

    sweep_conf conf_;
    const reg &reg_src_ = rsi, &reg_stride_ = rdx, &reg_rows_ = rcx, &reg_count_ = r8;
    const reg &reg_pivot_ = r9, &reg_s_ = r10, &reg_q_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_rest_ = r12, &reg_index_ = r14;
    std::vector<vmm> s_, q_, d_;
    vmm vmm_pivot_{3 * VECTORS}, vmm_factor_{3 * VECTORS + 1};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{3 * VECTORS + 2}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r13};
};

} // namespace

template <typename T>
sweep_kernel<T>::sweep_kernel(const sweep_conf &conf)
    : kernel<sweep_arguments<T>>(conf.short_rows ? make_short_sweep(conf) : make_kernel<sweep_generator, T>(conf)) {}

template class sweep_kernel<float>;
template class sweep_kernel<double>;

} // namespace jitnorm::impl::jit
