// SPDX-License-Identifier: Apache-2.0
#include "backward_sums_kernel.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "emit/element_io.hpp"
#include "emit/lane_fold.hpp"
#include "kernel_generator.hpp"
#include "make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::BACKWARD_LANES;
using layer_norm::BLOCK;

// Two rows at a time share the loads of scale and the sums' way through memory; a last one goes alone. xhat is computed
// as (mean - x) * -rstd, so that x is subtracted straight from memory.
template <isa I, typename T>
class backward_sums_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using xmm_t = Xbyak::Xmm;
    using reg = Xbyak::Reg64;
    using arguments = backward_sums_arguments<T>;
    static constexpr int VECTORS = BACKWARD_LANES<T> / VECTOR_WIDTH<I, T>; // registers per sum, and the unroll
    static constexpr int LANES_BYTES = BACKWARD_LANES<T> * int(sizeof(T));
    static constexpr int MASK = 4 * LANES_BYTES; // in the frame, behind the lanes of the chunk
    static constexpr int PAIR = 2;
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;

    struct row { // of a pair
        reg src, diff_dst;
        std::array<vmm, VECTORS> s1, s2;
        vmm mean, factor;
    };

public:
    explicit backward_sums_generator(const backward_sums_conf &conf) : conf_(conf) { generate(); }
    std::string name() const {
        return kernel_name("backward_sums", conf_, {conf_.src, conf_.diff_dst},
                           {{conf_.scale, "scale"}, {!conf_.centered, "rms"}, {!conf_.sums, "columns"}});
    }

private:
    void generate() {
        open_frame(MASK + traits::bytes);
        load_arguments();
        prepare_tail();
        Xbyak::Label pairs, singles, end;
        L(pairs);
        if (has_pairs()) {
            lea(reg_left_, ptr[reg_index_ + PAIR]);
            cmp(reg_left_, ptr[rdi + offsetof(arguments, rows)]);
            ja(singles, T_NEAR);
            sum_rows(PAIR);
            jmp(pairs, T_NEAR);
        }
        L(singles);
        cmp(reg_index_, ptr[rdi + offsetof(arguments, rows)]);
        jae(end, T_NEAR);
        sum_rows(1);
        jmp(singles, T_NEAR);
        L(end);
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    bool has_s1() const { return conf_.sums && conf_.centered; }
    bool needs_xhat() const { return conf_.sums || conf_.diff_scale; }
    bool converts_scale() const { return conf_.scale && conf_.sums && conf_.scale_type != OWN; }
    bool multiplies() const { return conf_.scale && conf_.sums; }
    // A converted scale takes a register, and AVX2 has none left beside a pair's.
    bool has_pairs() const { return I == isa::avx512 || !converts_scale(); }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(rows_[0].src, arguments, src);
        JITNORM_LOAD_ARGUMENT(rows_[0].diff_dst, arguments, diff_dst);
        JITNORM_LOAD_ARGUMENT(reg_count_, arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_scale_, arguments, scale);
        JITNORM_LOAD_ARGUMENT(reg_diff_scale_, arguments, diff_scale);
        JITNORM_LOAD_ARGUMENT(reg_diff_shift_, arguments, diff_shift);
        xor_(reg_index_.cvt32(), reg_index_.cvt32());
    }

    // AVX2's mask waits in the frame: only the tail has a register for it.
    void prepare_tail() {
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if constexpr (I == isa::avx2) vmovaps(ptr[rsp + MASK], scale_sum_);
    }
    void load_mask() {
        if constexpr (I == isa::avx2) vmovaps(scale_sum_, ptr[rsp + MASK]);
    }

    // The next one or two rows; moves on behind them.
    void sum_rows(int rows) {
        if (rows == PAIR) point_behind(rows_[0], rows_[1]);
        broadcast_statistics(rows);
        conf_.sums ? sum_blocks(rows) : sum_columns(rows);
        store_sums(rows);
        point_behind(rows_[size_t(rows - 1)], rows_[0]);
        add(reg_index_, rows);
    }

    void point_behind(const row &last, const row &next) {
        const auto advance = [&](const reg &to, const reg &from, size_t stride) {
            if (to != from) mov(to, from);
            add(to, ptr[rdi + stride]);
        };
        advance(next.src, last.src, offsetof(arguments, src_row_stride));
        advance(next.diff_dst, last.diff_dst, offsetof(arguments, diff_dst_row_stride));
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](size_t field, vmm row::*to) {
            mov(reg_left_, ptr[rdi + field]);
            for (int r = 0; r < rows; ++r)
                ops_.broadcast(rows_[size_t(r)].*to, ptr[reg_left_ + reg_index_ * int(sizeof(T)) + r * int(sizeof(T))]);
        };
        if (!needs_xhat()) return;
        if (conf_.centered) broadcast(offsetof(arguments, mean), &row::mean);
        broadcast(offsetof(arguments, factor), &row::factor);
    }

    // The sums of a chunk, block by block; from the second block on the chunk's lanes are in the frame.
    void sum_blocks(int rows) {
        Xbyak::Label single, block, last, done;
        for_each_lanes(rows, [&](const vmm &lanes, int) { ops_.clear(lanes); });
        cmp(reg_count_, int(BLOCK));
        jbe(single, T_NEAR);
        save_chunk_lanes(rows);
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
        walk(rows);
        cmp(reg_count_, int(BLOCK));
        jbe(done, T_NEAR); // a single block
        for_each_lanes(rows, [&](const vmm &lanes, int frame) { ops_.add(lanes, lanes, ptr[rsp + frame]); });
        test(reg_rest_, reg_rest_);
        jz(done, T_NEAR);
        save_chunk_lanes(rows);
        for_each_lanes(rows, [&](const vmm &lanes, int) { ops_.clear(lanes); });
        jmp(block, T_NEAR);
        L(done);
    }

    void sum_columns(int rows) {
        xor_(reg_position_.cvt32(), reg_position_.cvt32());
        mov(reg_left_, reg_count_);
        walk(rows);
    }

    void walk(int rows) {
        walker_.walk(VECTORS, [&](places vectors) {
            for (const place &p : vectors) p.tail ? add_incomplete(rows, p) : add_whole(rows, p);
        });
    }

    // One vector of all rows: the sums over columns stay in registers from row to row.
    void add_whole(int rows, const place &p) {
        if (converts_scale()) io_.load(scale_, reg_scale_, p, conf_.scale_type);
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (conf_.diff_shift) add_to_shift_sum(r == 0, p);
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.diff_scale) {
                if (r == 0) ops_.load(scale_sum_, ptr[walker_.at(reg_diff_scale_, p, sizeof(T))]);
                ops_.fma231(scale_sum_, dy_, xhat_);
            }
            if (multiplies() && converts_scale()) ops_.mul(dy_, dy_, scale_);
            if (multiplies() && !converts_scale()) ops_.mul(dy_, dy_, ptr[walker_.at(reg_scale_, p, sizeof(T))]);
            add_to_row_sums(of, p);
        }
        if (conf_.diff_shift) ops_.store(ptr[walker_.at(reg_diff_shift_, p, sizeof(T))], shift_sum_);
        if (conf_.diff_scale) {
            drop_negative_zeros(scale_sum_);
            ops_.store(ptr[walker_.at(reg_diff_scale_, p, sizeof(T))], scale_sum_);
        }
    }

    // Where the sums of a block are the gradients, no sum in double, which begins at zero, follows: fma underflows to
    // -0.
    void drop_negative_zeros(const vmm &sum) {
        ops_.clear(dy_);
        ops_.add(sum, sum, dy_);
    }

    void add_to_shift_sum(bool first, const place &p) {
        first ? ops_.add(shift_sum_, dy_, ptr[walker_.at(reg_diff_shift_, p, sizeof(T))])
              : ops_.add(shift_sum_, shift_sum_, dy_);
    }

    void load_xhat(const row &of, const place &p) {
        if (conf_.centered && conf_.src == OWN && !p.tail) {
            ops_.sub(xhat_, of.mean, ptr[walker_.at(of.src, p, sizeof(T))]);
        } else {
            io_.load(xhat_, of.src, p, conf_.src);
            if (conf_.centered) ops_.sub(xhat_, of.mean, xhat_);
        }
        ops_.mul(xhat_, xhat_, of.factor);
        if (p.tail) tail_.zero_absent(xhat_);
    }

    void add_to_row_sums(const row &of, const place &p) {
        if (has_s1()) ops_.add(of.s1[size_t(p.slot)], of.s1[size_t(p.slot)], dy_);
        if (conf_.sums) ops_.fma231(of.s2[size_t(p.slot)], dy_, xhat_);
    }

    // The last vector, row by row through memory: one of the registers holds the mask here.
    void add_incomplete(int rows, const place &p) {
        load_mask();
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            const auto add_to = [&](const reg &sums, auto &&term) { // by way of shift_sum_
                tail_.load(shift_sum_, walker_.at(sums, p, sizeof(T)));
                term();
                tail_.store(walker_.at(sums, p, sizeof(T)), shift_sum_);
            };
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (conf_.diff_shift) add_to(reg_diff_shift_, [&] { ops_.add(shift_sum_, shift_sum_, dy_); });
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.diff_scale) add_to(reg_diff_scale_, [&] { ops_.fma231(shift_sum_, dy_, xhat_); });
            if (multiplies()) {
                io_.load(shift_sum_, reg_scale_, p, conf_.scale_type);
                ops_.mul(dy_, dy_, shift_sum_);
            }
            add_to_row_sums(of, p);
            if (conf_.diff_scale) add_to(reg_diff_scale_, [&] { drop_negative_zeros(shift_sum_); });
        }
    }

    template <typename Use> // void(const vmm &lanes, int frame offset)
    void for_each_lanes(int rows, Use &&use) {
        int frame = 0;
        for (int r = 0; r < rows; ++r)
            for (size_t i = 0; i < size_t(VECTORS); ++i, frame += 2 * traits::bytes) {
                if (has_s1()) use(rows_[size_t(r)].s1[i], frame);
                use(rows_[size_t(r)].s2[i], frame + traits::bytes);
            }
    }
    void save_chunk_lanes(int rows) {
        for_each_lanes(rows, [&](const vmm &lanes, int frame) { vmovaps(ptr[rsp + frame], lanes); });
    }

    void store_sums(int rows) {
        const auto store = [&](size_t field, std::array<vmm, VECTORS> row::*sums) {
            mov(reg_left_, ptr[rdi + field]);
            for (int r = 0; r < rows; ++r) {
                const auto &lanes = rows_[size_t(r)].*sums;
                emit_fold<I, T>(*this, lanes, xmm_t(dy_.getIdx()));
                ops_.store_lowest(ptr[reg_left_ + reg_index_ * int(sizeof(T)) + r * int(sizeof(T))],
                                  xmm_t(lanes[0].getIdx()));
            }
        };
        if (has_s1()) store(offsetof(arguments, s1), &row::s1);
        if (conf_.sums) store(offsetof(arguments, s2), &row::s2);
    }

    static std::array<vmm, VECTORS> lanes_from(int first) {
        std::array<vmm, VECTORS> lanes;
        for (int i = 0; i < VECTORS; ++i) lanes[size_t(i)] = vmm(first + i);
        return lanes;
    }

    backward_sums_conf conf_;
    const reg &reg_count_ = rcx, &reg_scale_ = r10, &reg_diff_scale_ = r11, &reg_diff_shift_ = rbx;
    const reg &reg_position_ = rax, &reg_left_ = r12, &reg_rest_ = r13, &reg_index_ = r15;
    const std::array<row, PAIR> rows_{
        row{rsi, rdx, lanes_from(0), lanes_from(VECTORS), vmm{4 * VECTORS}, vmm{4 * VECTORS + 1}},
        row{r8, r9, lanes_from(2 * VECTORS), lanes_from(3 * VECTORS), vmm{4 * VECTORS + 2}, vmm{4 * VECTORS + 3}}};
    // 16 registers with two vectors per sum: AVX2 is full, but without pairs the second row's are free.
    const vmm dy_{4 * VECTORS + 4}, xhat_{4 * VECTORS + 5}, shift_sum_{4 * VECTORS + 6}, scale_sum_{4 * VECTORS + 7};
    const vmm scale_{I == isa::avx512 ? traits::registers - 1 : 4 * VECTORS + 2};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, scale_sum_};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r14};
};

} // namespace

template <typename T>
backward_sums_kernel<T>::backward_sums_kernel(const backward_sums_conf &conf)
    : kernel<backward_sums_arguments<T>>(make_kernel<backward_sums_generator, T>(conf)) {}

template class backward_sums_kernel<float>;
template class backward_sums_kernel<double>;

} // namespace jitnorm::impl::jit
