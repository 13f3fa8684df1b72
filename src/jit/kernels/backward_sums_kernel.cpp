// SPDX-License-Identifier: Apache-2.0
#include "backward_sums_kernel.hpp"

#include <array>

#include "../emit/block_loop.hpp"
#include "../emit/centered_load.hpp"
#include "../emit/lane_fold.hpp"
#include "../emit/line_hints.hpp"
#include "../emit/plus_one.hpp"
#include "../emit/row_stepper.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

using layer_norm::BACKWARD_LANES;

// Rows go in pairs, which share the loads of scale and the loads and stores of the sums over columns; a last row goes
// alone. xhat is computed as (mean - x) * -rstd, so that x can be an operand in memory.
template <isa I, typename T>
class backward_sums_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = backward_sums_arguments<T>;
    static constexpr int VECTORS = BACKWARD_LANES<T> / VECTOR_WIDTH<I, T>; // registers per sum, and the unroll
    static constexpr int PAIR = 2;
    static constexpr int MASK = 2 * PAIR * VECTORS * traits::bytes; // its place in the frame, behind the chunk's lanes
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;

    struct row { // the registers of one row of a pair
        reg src, diff_dst;
        std::array<vmm, VECTORS> s1, s2;
        vmm mean, factor;
    };

public:
    explicit backward_sums_generator(const backward_sums_conf &conf) : conf_(conf) { generate(); }
    std::string name() const {
        return kernel_name("backward_sums", conf_, {conf_.src, conf_.diff_dst},
                           {{conf_.scale && !conf_.scale_plus_one, "scale"},
                            {conf_.scale_plus_one, "scale_plus_one"},
                            {!conf_.centered, "rms"},
                            {!conf_.sums, "columns"},
                            {conf_.prefetching, "prefetching"}});
    }

private:
    void generate() {
        open_frame(MASK + traits::bytes);
        load_arguments();
        prepare_tail();
        if (conf_.diff_dst == jitnorm_bf16) io_.permute_bf16(vmm(traits::registers - 2));
        if (has_pairs()) stepper_.step(PAIR, [&] { sum_rows(PAIR); });
        stepper_.step(1, [&] { sum_rows(1); });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
        products_.emit_rest();
        one_.emit_rest();
    }

    bool has_s1() const { return conf_.sums && conf_.centered; }
    bool needs_xhat() const { return conf_.sums || conf_.diff_scale; }
    bool multiplies() const { return conf_.scale && conf_.sums; }
    bool loads_scale() const { return multiplies() && (conf_.scale_type != OWN || conf_.scale_plus_one); }
    // A scale that is not an operand in memory needs a register, and with AVX2 a pair of rows leaves none.
    bool has_pairs() const { return I == isa::avx512 || !loads_scale(); }

    void load_arguments() {
        mov(rows_[0].src, JITNORM_ARGUMENT(src));
        mov(rows_[0].diff_dst, JITNORM_ARGUMENT(diff_dst));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_scale_, JITNORM_ARGUMENT(scale));
        mov(reg_diff_scale_, JITNORM_ARGUMENT(diff_scale));
        mov(reg_diff_shift_, JITNORM_ARGUMENT(diff_shift));
        stepper_.begin();
    }

    // With AVX2 the mask is kept in the frame, because a register is free for it only at the incomplete vector.
    void prepare_tail() {
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if constexpr (I == isa::avx2) vmovaps(ptr[rsp + MASK], scale_sum_);
    }
    void load_mask() {
        if constexpr (I == isa::avx2) vmovaps(scale_sum_, ptr[rsp + MASK]);
    }

    void sum_rows(int rows) {
        broadcast_statistics(rows);
        const auto add = [&](places vectors) {
            if (conf_.prefetching && !vectors.front().tail) prefetch_src(rows, vectors);
            for (const place &p : vectors) p.tail ? add_incomplete(rows, p) : add_whole(rows, p);
        };
        if (conf_.sums) {
            blocks_.sum(lanes_of(rows), VECTORS, add);
        } else {
            walker_.begin(reg_count_);
            walker_.walk(VECTORS, add);
        }
        if (has_s1()) store_sums(JITNORM_ARGUMENT(s1), rows, &row::s1);
        if (conf_.sums) store_sums(JITNORM_ARGUMENT(s2), rows, &row::s2);
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](const Xbyak::Address &array, vmm row::*to) {
            const Xbyak::RegExp numbers = stepper_.numbers(array);
            for (int r = 0; r < rows; ++r) ops_.broadcast(rows_[size_t(r)].*to, ptr[numbers + r * int(sizeof(T))]);
        };
        if (!needs_xhat()) return;
        if (conf_.centered) broadcast(JITNORM_ARGUMENT(mean), &row::mean);
        broadcast(JITNORM_ARGUMENT(factor), &row::factor);
    }

    std::vector<vmm> lanes_of(int rows) const {
        std::vector<vmm> lanes;
        for (size_t r = 0; r < size_t(rows); ++r)
            for (size_t i = 0; i < size_t(VECTORS); ++i) {
                if (has_s1()) lanes.push_back(rows_[r].s1[i]);
                lanes.push_back(rows_[r].s2[i]);
            }
        return lanes;
    }

    void store_sums(const Xbyak::Address &array, int rows, std::array<vmm, VECTORS> row::*sums) {
        const Xbyak::RegExp numbers = stepper_.numbers(array);
        for (int r = 0; r < rows; ++r) {
            ops_.store_lowest(ptr[numbers + r * int(sizeof(T))], fold_.to_lowest(rows_[size_t(r)].*sums));
        }
    }

    // Prefetches src of later rows. The data kernel prefetches their diff_dst, so that memory is busy in both sweeps
    // over a batch.
    void prefetch_src(int rows, places vectors) {
        mov(reg_ahead_, JITNORM_ARGUMENT(prefetch));
        lea(reg_ahead_, ptr[reg_ahead_ + reg_position_ * element_bytes(conf_.src)]);
        for (int r = 0; r < rows; ++r) hints_.prefetch(rows_[size_t(r)].src + reg_ahead_, vectors, conf_.src);
    }

    // Adds one vector of all rows of the pass. The sums over columns stay in registers from row to row.
    void add_whole(int rows, const place &p) {
        const auto in_memory = [&](const reg &of) { return ptr[walker_.at(of, p, sizeof(T))]; };
        if (loads_scale()) load_scale(scale_, p);
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (conf_.diff_shift)
                r == 0 ? ops_.add(shift_sum_, dy_, in_memory(reg_diff_shift_)) : ops_.add(shift_sum_, shift_sum_, dy_);
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.diff_scale) {
                if (r == 0) ops_.load(scale_sum_, in_memory(reg_diff_scale_));
                ops_.fma231(scale_sum_, dy_, xhat_);
            }
            if (multiplies()) loads_scale() ? ops_.mul(dy_, dy_, scale_) : ops_.mul(dy_, dy_, in_memory(reg_scale_));
            add_to_row_sums(of, p);
        }
        if (conf_.diff_shift) ops_.store(in_memory(reg_diff_shift_), shift_sum_);
        if (conf_.diff_scale) {
            drop_negative_zeros(scale_sum_);
            ops_.store(in_memory(reg_diff_scale_), scale_sum_);
        }
    }

    // Adds the incomplete vector. The sums over columns go through memory for each row, because one of their registers
    // holds the mask here.
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
                load_scale(shift_sum_, p);
                ops_.mul(dy_, dy_, shift_sum_);
            }
            add_to_row_sums(of, p);
            if (conf_.diff_scale) add_to(reg_diff_scale_, [&] { drop_negative_zeros(shift_sum_); });
        }
    }

    void load_scale(const vmm &to, const place &p) {
        io_.load(to, reg_scale_, p, conf_.scale_type);
        one_.add_to(to);
    }

    void load_xhat(const row &of, const place &p) {
        difference_.emit(xhat_, of.mean, of.src, p);
        ops_.mul(xhat_, xhat_, of.factor);
        if (p.tail) tail_.zero_absent(xhat_);
    }

    void add_to_row_sums(const row &of, const place &p) {
        if (has_s1()) ops_.add(of.s1[size_t(p.slot)], of.s1[size_t(p.slot)], dy_);
        if (conf_.sums) ops_.fma231(of.s2[size_t(p.slot)], dy_, xhat_);
    }

    // fma may underflow to -0. Usually the sums are added to zero in double afterwards, which makes it +0. This does
    // the same, because the sums of a block may be the gradients themselves.
    void drop_negative_zeros(const vmm &sum) {
        ops_.clear(dy_);
        ops_.add(sum, sum, dy_);
    }

    static row row_with(const reg &src, const reg &diff_dst, int lanes, int statistics) {
        return {src,
                diff_dst,
                registers_from<vmm, VECTORS>(lanes),
                registers_from<vmm, VECTORS>(lanes + VECTORS),
                vmm(statistics),
                vmm(statistics + 1)};
    }

    backward_sums_conf conf_;
    const reg &reg_count_ = rcx, &reg_scale_ = r10, &reg_diff_scale_ = r11, &reg_diff_shift_ = rbx;
    const reg &reg_position_ = rax, &reg_left_ = r12, &reg_rest_ = r13, &reg_index_ = r15;
    const reg &reg_ahead_ = r14, &reg_io_ = r14; // reg_io_ is in use during loads only
    const std::array<row, PAIR> rows_{row_with(rsi, rdx, 0, 4 * VECTORS),
                                      row_with(r8, r9, 2 * VECTORS, 4 * VECTORS + 2)};
    // With AVX2, which has two vectors for each sum, all 16 registers are in use. Without pairs those of the second row
    // are free.
    const vmm dy_{4 * VECTORS + 4}, xhat_{4 * VECTORS + 5}, shift_sum_{4 * VECTORS + 6}, scale_sum_{4 * VECTORS + 7};
    const vmm scale_{I == isa::avx512 ? traits::registers - 1 : 4 * VECTORS + 2};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, scale_sum_};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, reg_io_};
    line_hints<I, T> hints_{*this, row_walker<I, T>(*this, reg_left_)}; // rows begin at the position already
    row_stepper<T> stepper_{*this,
                            reg_index_,
                            reg_left_,
                            JITNORM_ARGUMENT(rows),
                            {{{rows_[0].src, rows_[1].src}, JITNORM_ARGUMENT(src_row_stride)},
                             {{rows_[0].diff_dst, rows_[1].diff_dst}, JITNORM_ARGUMENT(diff_dst_row_stride)}}};
    lane_fold<I, T> fold_{*this, xmm_t(dy_.getIdx())};
    block_loop<I, T> blocks_{*this, walker_, reg_count_, reg_rest_};
    unit_products<I, T> products_{*this};
    centered_load<I, T> difference_{*this, io_, conf_.src, conf_.centered, &products_};
    plus_one<I, T> one_{*this, conf_.scale_plus_one};
};

} // namespace

code_ptr code_of(const backward_sums_conf &conf) { return make_kernel<backward_sums_generator>(conf); }

} // namespace jitnorm::impl::jit
