// SPDX-License-Identifier: Apache-2.0
#include "normalize_kernel.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "emit/cache_lines.hpp"
#include "emit/element_io.hpp"
#include "emit/post_ops.hpp"
#include "emit/recorded_code.hpp"
#include "kernel_generator.hpp"
#include "make_kernel.hpp"
#include "short_normalize.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class normalize_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using reg = Xbyak::Reg64;
    using arguments = normalize_arguments<T>;
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;
    static constexpr int UNROLL = 2;
    static constexpr int AFFINE = 6 + 2 * UNROLL; // scale and shift, UNROLL registers each

    struct row { // of a pair
        reg src, dst;
        vmm hi, rstd, neg;
        int work; // its first of UNROLL work registers
    };

public:
    explicit normalize_generator(const normalize_conf &conf)
        : kernel_generator(MAX_KERNEL_BYTES * (1 + conf.post_ops.size())), conf_(conf) {
        if (has_post_ops()) post_ops_.emplace(*this, record_post_ops<T>(conf.post_ops), free_registers(), 0);
        generate();
    }
    std::string name() const {
        return kernel_name("normalize", conf_, {conf_.src, conf_.dst},
                           {{conf_.scale, "scale"},
                            {conf_.shift, "shift"},
                            {conf_.non_temporal, "non_temporal"},
                            {has_post_ops(), "post_ops"}});
    }

private:
    void generate() {
        open_frame(has_post_ops() ? code_of_post_ops::FRAME_BYTES : 0);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        Xbyak::Label done;
        if (short_normalize<I, T>::takes(conf_)) short_normalize<I, T>(*this, conf_, tail_).emit(reg_count_, done);
        normalize_pairs();
        normalize_singles();
        L(done);
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
        if (has_post_ops()) post_ops_->emit_constants();
    }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(rows_[0].src, arguments, src);
        JITNORM_LOAD_ARGUMENT(rows_[0].dst, arguments, dst);
        JITNORM_LOAD_ARGUMENT(reg_rows_, arguments, rows);
        JITNORM_LOAD_ARGUMENT(reg_count_, arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_scale_, arguments, scale);
        JITNORM_LOAD_ARGUMENT(reg_shift_, arguments, shift);
        if (has_post_ops()) JITNORM_LOAD_ARGUMENT(reg_operands_, arguments, operands);
        xor_(reg_index_.cvt32(), reg_index_.cvt32());
    }

    void normalize_pairs() {
        if (conf_.non_temporal || has_post_ops()) return; // whole lines of one row at a time; registers for post-ops
        Xbyak::Label next, end;
        cmp(dword[rdi + offsetof(arguments, together)], 2);
        jb(end, T_NEAR);
        L(next);
        cmp(reg_rows_, 2);
        jb(end, T_NEAR);
        normalize_rows(2);
        jmp(next, T_NEAR);
        L(end);
    }

    void normalize_singles() {
        Xbyak::Label next, end;
        L(next);
        test(reg_rows_, reg_rows_);
        jz(end, T_NEAR);
        mov(reg_ahead_, rows_[0].src);
        add(reg_ahead_, ptr[rdi + offsetof(arguments, prefetch)]);
        normalize_rows(1);
        jmp(next, T_NEAR);
        L(end);
    }

    // Normalizes the next one or two rows and moves on behind them.
    void normalize_rows(int rows) {
        if (rows == 2) point_behind(rows_[0], rows_[1]);
        broadcast_statistics(rows);
        xor_(reg_position_.cvt32(), reg_position_.cvt32());
        mov(reg_left_, reg_count_);
        walker_.walk_freely(has_post_ops() ? 1 : UNROLL, [&](places vectors) { normalize(rows, vectors); });
        point_behind(rows_[size_t(rows - 1)], rows_[0]);
        if (has_post_ops()) add(reg_operands_, int(conf_.post_ops.size() * sizeof(void *)));
        add(reg_index_, rows);
        sub(reg_rows_, rows);
    }

    void point_behind(const row &last, const row &next) {
        const auto advance = [&](const reg &to, const reg &from, size_t stride) {
            if (to != from) mov(to, from);
            add(to, ptr[rdi + stride]);
        };
        advance(next.src, last.src, offsetof(arguments, src_row_stride));
        advance(next.dst, last.dst, offsetof(arguments, dst_row_stride));
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](size_t field, vmm row::*to) {
            mov(reg_left_, ptr[rdi + field]);
            for (int r = 0; r < rows; ++r)
                ops_.broadcast(rows_[size_t(r)].*to, ptr[reg_left_ + reg_index_ * int(sizeof(T)) + r * int(sizeof(T))]);
        };
        broadcast(offsetof(arguments, hi), &row::hi);
        broadcast(offsetof(arguments, rstd), &row::rstd);
        broadcast(offsetof(arguments, neg), &row::neg);
    }

    // All loads come before the first store: where rows are a multiple of 4096 bytes apart, a load that follows a store
    // at the same place of another row would wait for it. Rows are stored one after the other, line by line.
    void normalize(int rows, places vectors) {
        const auto for_each = [&](auto &&use) {
            for (int r = 0; r < rows; ++r)
                for (const place &p : vectors) use(rows_[size_t(r)], p, vmm(rows_[size_t(r)].work + p.slot));
        };
        if (rows == 1) prefetch(vectors);
        if (!conf_.non_temporal) claim_lines(rows, vectors);
        for_each([&](const row &of, const place &p, const vmm &x) { load_difference(of, p, x); });
        for (const place &p : vectors) load_affine(p);
        for_each([&](const row &of, const place &p, const vmm &x) {
            ops_.negated_fma213(x, of.rstd, of.neg);
            apply_affine(x, p);
        });
        const auto multiply_by = [&](size_t field) {
            const vmm factor(AFFINE); // scale and shift have been used
            ops_.broadcast(factor, ptr[rdi + field]);
            for_each([&](const row &, const place &, const vmm &x) { ops_.mul(x, x, factor); });
        };
        if (conf_.src_scale) multiply_by(offsetof(arguments, src_scale));
        if (has_post_ops()) for_each([&](const row &, const place &p, const vmm &x) { apply_post_ops(x, p); });
        if (conf_.dst_scale) multiply_by(offsetof(arguments, inverse_dst_scale));
        for (int r = 0; r < rows; ++r)
            io_.store_all(rows_[size_t(r)].dst, vectors, vmm(rows_[size_t(r)].work), conf_.dst, conf_.non_temporal,
                          {vmm(AFFINE), vmm(AFFINE + 1)});
    }

    void apply_post_ops(const vmm &x, const place &p) {
        post_ops_->emit(x, [&](const step &s, const vmm &v) {
            if (s.what == operation::operand) return load_operand(v, size_t(s.detail), p);
            JITNORM_LOAD_ARGUMENT(reg_operand_, arguments, parameters);
            ops_.broadcast(v, ptr[reg_operand_ + int(s.detail * sizeof(T))]);
        });
    }

    void load_operand(const vmm &v, size_t i, const place &p) {
        const post_op_conf &op = conf_.post_ops[i];
        if (op.what == post_op_conf::kind::sum) return io_.load(v, rows_[0].dst, p, op.operand);
        mov(reg_operand_, ptr[reg_operands_ + int(i * sizeof(void *))]);
        if (op.operand == jitnorm_data_type_undef) return ops_.broadcast(v, ptr[reg_operand_]);
        io_.load(v, reg_operand_, p, op.operand);
    }

    // Beside the statistics of one row, its work register and the tail's mask.
    static std::vector<int> free_registers() {
        std::vector<int> registers = {3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15};
        for (int i = 16; i < traits::registers; ++i) registers.push_back(i);
        return registers;
    }

    void prefetch(places vectors) {
        const int size = element_bytes(conf_.src);
        for_each_cache_line<I, T>(vectors, size,
                                  [&](const place &p) { prefetcht0(ptr[walker_.at(reg_ahead_, p, size)]); });
    }

    void claim_lines(int rows, places vectors) {
        const int size = element_bytes(conf_.dst);
        for (int r = 0; r < rows; ++r)
            for_each_cache_line<I, T>(vectors, size, [&](const place &p) {
                prefetchw(ptr[walker_.at(rows_[size_t(r)].dst, p, size) + CLAIMED_AHEAD]);
            });
    }

    // hi - x: the compute type is subtracted straight from memory, and the multiplication turns the sign
    void load_difference(const row &of, const place &p, const vmm &x) {
        if (conf_.src == OWN && !p.tail) {
            ops_.sub(x, of.hi, ptr[walker_.at(of.src, p, sizeof(T))]);
        } else {
            io_.load(x, of.src, p, conf_.src);
            ops_.sub(x, of.hi, x);
        }
    }

    static vmm scale_at(const place &p) { return vmm(AFFINE + p.slot); }
    static vmm shift_at(const place &p) { return vmm(AFFINE + UNROLL + p.slot); }

    void load_affine(const place &p) {
        if (conf_.scale) io_.load(scale_at(p), reg_scale_, p, conf_.scale_shift);
        if (conf_.shift) io_.load(shift_at(p), reg_shift_, p, conf_.scale_shift);
    }

    void apply_affine(const vmm &x, const place &p) {
        if (conf_.scale && conf_.shift)
            ops_.fma213(x, scale_at(p), shift_at(p));
        else if (conf_.scale)
            ops_.mul(x, x, scale_at(p));
        else if (conf_.shift)
            ops_.add(x, x, shift_at(p));
    }

    bool has_post_ops() const { return !conf_.post_ops.empty(); }

    normalize_conf conf_;
    const reg &reg_rows_ = r9, &reg_count_ = rcx, &reg_scale_ = r10, &reg_shift_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12, &reg_ahead_ = r14;
    const std::array<row, 2> rows_{row{rsi, rdx, vmm{0}, vmm{1}, vmm{2}, 6},
                                   row{r8, r13, vmm{3}, vmm{4}, vmm{5}, 6 + UNROLL}};
    vector_ops<T> ops_{*this};
    const reg &reg_operands_ = r8, &reg_operand_ = r13; // rows go one by one
    static_assert(short_normalize<I, T>::MASK == AFFINE + 2 * UNROLL);
    tail_mask<I, T> tail_{*this, vmm{AFFINE + 2 * UNROLL}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r15};
    using code_of_post_ops = recorded_code<I, T>;
    std::optional<code_of_post_ops> post_ops_;
};

} // namespace

template <typename T>
normalize_kernel<T>::normalize_kernel(const normalize_conf &conf)
    : kernel<normalize_arguments<T>>(make_kernel<normalize_generator, T>(conf)) {}

template class normalize_kernel<float>;
template class normalize_kernel<double>;

} // namespace jitnorm::impl::jit
