// SPDX-License-Identifier: Apache-2.0
#include "../emit/affine.hpp"
#include "../emit/loops.hpp"
#include "../emit/sums.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

// Rows go in pairs, which share the loads of scale and the loads and stores of the sums over columns; a last row goes
// alone. xhat is computed as (mean - x) * -rstd, so that x can be an operand in memory.
class backward_sums_generator : public kernel_generator {
    using arguments = backward_sums_arguments<float>;
    static constexpr int PAIR = 2;

    struct row { // the registers of one row of a pair
        reg src, diff_dst;
        std::vector<vmm> s1, s2;
        vmm mean, factor;
    };

public:
    explicit backward_sums_generator(const backward_sums_conf &conf) : kernel_generator(kind_of(conf)), conf_(conf) {
        generate();
    }
    std::string name() const {
        return kernel_name("backward_sums", kind, {conf_.src, conf_.diff_dst},
                           {{conf_.scale && !conf_.scale_plus_one, "scale"},
                            {conf_.scale_plus_one, "scale_plus_one"},
                            {!conf_.centered, "rms"},
                            {!conf_.sums, "columns"},
                            {conf_.prefetching, "prefetching"}});
    }

private:
    void generate() {
        open_frame(mask_at_ + kind.bytes());
        load_arguments();
        prepare_tail();
        if (conf_.diff_dst == jitnorm_bf16 && kind.is_avx512())
            io_.permute_bf16(registers.take_vector(kind.registers() - 2));
        if (has_pairs()) pairs_.step(PAIR, [&] { sum_rows(PAIR); });
        pairs_.step(1, [&] { sum_rows(1); });
        close_frame();
    }

    bool has_s1() const { return conf_.sums && conf_.centered; }
    bool needs_xhat() const { return conf_.sums || conf_.diff_scale; }
    bool multiplies() const { return conf_.scale && conf_.sums; }
    bool loads_scale() const { return multiplies() && (conf_.scale_type != conf_.compute || conf_.scale_plus_one); }
    // A scale that is not an operand in memory needs a register, and with AVX2 a pair of rows leaves none.
    bool has_pairs() const { return kind.is_avx512() || !loads_scale(); }

    void load_arguments() {
        mov(rows_[0].src, JITNORM_ARGUMENT(src));
        mov(rows_[0].diff_dst, JITNORM_ARGUMENT(diff_dst));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_scale_, JITNORM_ARGUMENT(scale));
        mov(reg_diff_scale_, JITNORM_ARGUMENT(diff_scale));
        mov(reg_diff_shift_, JITNORM_ARGUMENT(diff_shift));
        pairs_.begin();
    }

    // With AVX2 the mask is kept in the frame, because a register is free for it only at the incomplete vector.
    void prepare_tail() {
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if (!kind.is_avx512()) vmovaps(ptr[rsp + mask_at_], scale_sum_);
    }
    void load_mask() {
        if (!kind.is_avx512()) vmovaps(scale_sum_, ptr[rsp + mask_at_]);
    }

    void sum_rows(int rows) {
        broadcast_statistics(rows);
        const auto add = [this, rows](places vectors) {
            if (conf_.prefetching && !vectors.front().tail) prefetch_src(rows, vectors);
            for (const place &p : vectors) p.tail ? add_incomplete(rows, p) : add_whole(rows, p);
        };
        if (conf_.sums) {
            blocks_.sum(lanes_of(rows), vectors_, add);
        } else {
            loop_.begin(reg_count_);
            loop_.walk(vectors_, add);
        }
        if (has_s1()) store_sums(JITNORM_ARGUMENT(s1), rows, &row::s1);
        if (conf_.sums) store_sums(JITNORM_ARGUMENT(s2), rows, &row::s2);
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](const Xbyak::Address &array, vmm row::*to) {
            const Xbyak::RegExp numbers = pairs_.numbers(array);
            for (int r = 0; r < rows; ++r) ops.broadcast(rows_[size_t(r)].*to, ptr[numbers + r * kind.element()]);
        };
        if (!needs_xhat()) return;
        if (conf_.centered) broadcast(JITNORM_ARGUMENT(mean), &row::mean);
        broadcast(JITNORM_ARGUMENT(factor), &row::factor);
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

    void store_sums(const Xbyak::Address &array, int rows, std::vector<vmm> row::*sums) {
        const Xbyak::RegExp numbers = pairs_.numbers(array);
        for (int r = 0; r < rows; ++r)
            ops.store_lowest(ptr[numbers + r * kind.element()], total_.to_lowest(rows_[size_t(r)].*sums));
    }

    // Prefetches src of later rows. The data kernel prefetches their diff_dst, so that memory is busy in both passes
    // over a batch.
    void prefetch_src(int rows, places vectors) {
        mov(reg_ahead_, JITNORM_ARGUMENT(prefetch));
        lea(reg_ahead_, ptr[reg_ahead_ + reg_position_ * element_bytes(conf_.src)]);
        for (int r = 0; r < rows; ++r) from_here_.prefetch(rows_[size_t(r)].src + reg_ahead_, vectors, conf_.src);
    }

    // Adds one vector of all rows of the pass. The sums over columns stay in registers from row to row.
    void add_whole(int rows, const place &p) {
        const auto in_memory = [&](const reg &of) { return ptr[loop_.at(of, p, kind.element())]; };
        if (loads_scale()) load_scale(scale_, p);
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (conf_.diff_shift)
                r == 0 ? ops.add(shift_sum_, dy_, in_memory(reg_diff_shift_)) : ops.add(shift_sum_, shift_sum_, dy_);
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.diff_scale) {
                if (r == 0) ops.load(scale_sum_, in_memory(reg_diff_scale_));
                ops.fma231(scale_sum_, dy_, xhat_);
            }
            if (multiplies()) loads_scale() ? ops.mul(dy_, dy_, scale_) : ops.mul(dy_, dy_, in_memory(reg_scale_));
            add_to_row_sums(of, p);
        }
        if (conf_.diff_shift) ops.store(in_memory(reg_diff_shift_), shift_sum_);
        if (conf_.diff_scale) {
            drop_negative_zeros(scale_sum_);
            ops.store(in_memory(reg_diff_scale_), scale_sum_);
        }
    }

    // Adds the incomplete vector. The sums over columns go through memory for each row, because one of their registers
    // holds the mask here.
    void add_incomplete(int rows, const place &p) {
        load_mask();
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            const auto add_to = [&](const reg &sums, auto &&term) { // by way of shift_sum_
                tail_.load(shift_sum_, loop_.at(sums, p, kind.element()));
                term();
                tail_.store(loop_.at(sums, p, kind.element()), shift_sum_);
            };
            io_.load(dy_, of.diff_dst, p, conf_.diff_dst);
            if (conf_.diff_shift) add_to(reg_diff_shift_, [&] { ops.add(shift_sum_, shift_sum_, dy_); });
            if (needs_xhat()) load_xhat(of, p);
            if (conf_.diff_scale) add_to(reg_diff_scale_, [&] { ops.fma231(shift_sum_, dy_, xhat_); });
            if (multiplies()) {
                load_scale(shift_sum_, p);
                ops.mul(dy_, dy_, shift_sum_);
            }
            add_to_row_sums(of, p);
            if (conf_.diff_scale) add_to(reg_diff_scale_, [&] { drop_negative_zeros(shift_sum_); });
        }
    }

    void load_scale(const vmm &to, const place &p) {
        io_.load(to, reg_scale_, p, conf_.scale_type);
        if (conf_.scale_plus_one) add_one(*this, to);
    }

    void load_xhat(const row &of, const place &p) {
        difference_.emit(xhat_, of.mean, of.src, p);
        ops.mul(xhat_, xhat_, of.factor);
        if (p.tail) tail_.zero_absent(xhat_);
    }

    void add_to_row_sums(const row &of, const place &p) {
        const auto slot = size_t(p.slot);
        if (has_s1()) ops.add(of.s1[slot], of.s1[slot], dy_);
        if (conf_.sums) ops.fma231(of.s2[slot], dy_, xhat_);
    }

    // fma may underflow to -0. Usually the sums are added to zero in double afterwards, which makes it +0. This does
    // the same, because the sums of a block may be the gradients themselves.
    void drop_negative_zeros(const vmm &sum) {
        ops.clear(dy_);
        ops.add(sum, sum, dy_);
    }

    // The lanes of both rows come first, then the numbers of each row.
    std::array<row, PAIR> take_rows() {
        std::array<row, PAIR> rows;
        const std::array<reg, PAIR> src{rsi, r8}, diff_dst{rdx, r9};
        for (size_t r = 0; r < PAIR; ++r) {
            rows[r].src = registers.take(src[r]);
            rows[r].diff_dst = registers.take(diff_dst[r]);
            rows[r].s1 = registers.take_vectors(vectors_);
            rows[r].s2 = registers.take_vectors(vectors_);
        }
        for (row &r : rows) {
            r.mean = registers.take_vector();
            r.factor = registers.take_vector();
        }
        return rows;
    }

    const backward_sums_conf conf_;
    const int vectors_ = backward_vectors(kind);             // registers per sum, and the unroll
    const int mask_at_ = 2 * PAIR * vectors_ * kind.bytes(); // in the frame, behind the chunk's lanes
    const reg reg_count_ = registers.take(rcx), reg_scale_ = registers.take(r10), reg_diff_scale_ = registers.take(r11);
    const reg reg_diff_shift_ = registers.take(rbx), reg_position_ = registers.take(rax);
    const reg reg_left_ = registers.take(r12), reg_rest_ = registers.take(r13), reg_index_ = registers.take(r15);
    const reg reg_ahead_ = registers.take(r14), &reg_io_ = reg_ahead_; // reg_io_ is in use during loads only
    const std::array<row, PAIR> rows_ = take_rows();
    // With AVX2, which has two vectors for each sum, all 16 registers are in use.
    const vmm dy_ = registers.take_vector(), xhat_ = registers.take_vector();
    const vmm shift_sum_ = registers.take_vector(), scale_sum_ = registers.take_vector();
    // With AVX2 there are no pairs if there is a scale in a register, and those of the second row are free.
    const vmm scale_ = kind.is_avx512() ? registers.take_vector(kind.registers() - 1) : rows_[1].mean;
    tail_mask tail_{*this, scale_sum_};
    vector_loop loop_{*this, reg_position_, reg_left_};
    vector_loop from_here_{*this, reg_left_}; // for rows that begin at the position already
    element_io io_{*this, tail_, loop_, reg_io_};
    row_loop pairs_{*this,
                    reg_index_,
                    reg_left_,
                    JITNORM_ARGUMENT(rows),
                    {{{rows_[0].src, rows_[1].src}, JITNORM_ARGUMENT(src_row_stride)},
                     {{rows_[0].diff_dst, rows_[1].diff_dst}, JITNORM_ARGUMENT(diff_dst_row_stride)}}};
    horizontal_sum total_{*this, dy_};
    blocked_sum blocks_{*this, loop_, reg_count_, reg_rest_};
    unit_products products_{*this};
    centered_load difference_{*this, io_, conf_.src, conf_.centered, &products_};
};

} // namespace

code_ptr code_of(const backward_sums_conf &conf) { return make_kernel<backward_sums_generator>(conf); }

} // namespace jitnorm::impl::jit
