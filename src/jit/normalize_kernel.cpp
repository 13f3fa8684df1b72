// SPDX-License-Identifier: Apache-2.0
#include "normalize_kernel.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "emit/row_walker.hpp"
#include "emit/tail_mask.hpp"
#include "kernel_generator.hpp"

namespace jitnorm::impl::jit {

namespace {

// Rows go in pairs that share the loads of scale and shift; the last of an odd number goes alone.
template <isa I>
class normalize_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using reg = Xbyak::Reg64;
    static constexpr int UNROLL = 2;

    struct row { // of a pair
        reg src, dst;
        vmm hi, rstd, neg;
        int work; // its first of UNROLL work registers
    };

public:
    explicit normalize_generator(const normalize_conf &conf) : conf_(conf) { generate(); }

private:
    void generate() {
        Xbyak::Label pair, single, done;
        open_frame(0);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        L(pair);
        cmp(reg_rows_, 2);
        jb(single, T_NEAR);
        normalize_rows(2);
        jmp(pair, T_NEAR);
        L(single);
        test(reg_rows_, reg_rows_);
        jz(done, T_NEAR);
        normalize_rows(1);
        L(done);
        close_frame();
        tail_.emit_table();
    }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(rows_[0].src, normalize_arguments, src);
        JITNORM_LOAD_ARGUMENT(rows_[0].dst, normalize_arguments, dst);
        JITNORM_LOAD_ARGUMENT(reg_rows_, normalize_arguments, rows);
        JITNORM_LOAD_ARGUMENT(reg_count_, normalize_arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_scale_, normalize_arguments, scale);
        JITNORM_LOAD_ARGUMENT(reg_shift_, normalize_arguments, shift);
        xor_(reg_index_.cvt32(), reg_index_.cvt32());
    }

    // Normalizes the next one or two rows and moves on behind them.
    void normalize_rows(int rows) {
        if (rows == 2) {
            mov(rows_[1].src, rows_[0].src);
            add(rows_[1].src, ptr[rdi + offsetof(normalize_arguments, src_row_stride)]);
            mov(rows_[1].dst, rows_[0].dst);
            add(rows_[1].dst, ptr[rdi + offsetof(normalize_arguments, dst_row_stride)]);
        }
        broadcast_statistics(rows);
        xor_(reg_position_.cvt32(), reg_position_.cvt32());
        mov(reg_left_, reg_count_);
        walker_.walk(UNROLL, [&](const place &p) { normalize(rows, p); });

        const row &last = rows_[size_t(rows - 1)];
        mov(rows_[0].src, last.src);
        add(rows_[0].src, ptr[rdi + offsetof(normalize_arguments, src_row_stride)]);
        mov(rows_[0].dst, last.dst);
        add(rows_[0].dst, ptr[rdi + offsetof(normalize_arguments, dst_row_stride)]);
        add(reg_index_, rows);
        sub(reg_rows_, rows);
    }

    void broadcast_statistics(int rows) {
        const auto broadcast = [&](size_t field, vmm row::*to) {
            mov(reg_left_, ptr[rdi + field]);
            for (int r = 0; r < rows; ++r)
                vbroadcastss(rows_[size_t(r)].*to, ptr[reg_left_ + reg_index_ * 4 + r * int(sizeof(float))]);
        };
        broadcast(offsetof(normalize_arguments, hi), &row::hi);
        broadcast(offsetof(normalize_arguments, rstd), &row::rstd);
        broadcast(offsetof(normalize_arguments, neg), &row::neg);
    }

    void normalize(int rows, const place &p) {
        load_affine(p);
        for (int r = 0; r < rows; ++r) {
            const row &of = rows_[size_t(r)];
            const vmm x(of.work + p.slot);
            if (p.tail) {
                tail_.load(x, walker_.at(of.src, p));
                vsubps(x, of.hi, x);
            } else {
                vsubps(x, of.hi, ptr[walker_.at(of.src, p)]); // hi - x: the sign turns below
            }
            vfnmadd213ps(x, of.rstd, of.neg);
            apply_affine(x);
            if (p.tail)
                tail_.store(walker_.at(of.dst, p), x);
            else
                vmovups(ptr[walker_.at(of.dst, p)], x);
        }
    }

    void load_affine(const place &p) {
        const auto load = [&](const vmm &v, const reg &from) {
            if (p.tail)
                tail_.load(v, walker_.at(from, p));
            else
                vmovups(v, ptr[walker_.at(from, p)]);
        };
        if (conf_.scale) load(vmm_scale_, reg_scale_);
        if (conf_.shift) load(vmm_shift_, reg_shift_);
    }

    void apply_affine(const vmm &x) {
        if (conf_.scale && conf_.shift)
            vfmadd213ps(x, vmm_scale_, vmm_shift_);
        else if (conf_.scale)
            vmulps(x, x, vmm_scale_);
        else if (conf_.shift)
            vaddps(x, x, vmm_shift_);
    }

    normalize_conf conf_;
    const reg &reg_rows_ = r9, &reg_count_ = rcx, &reg_scale_ = r10, &reg_shift_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12;
    const std::array<row, 2> rows_{row{rsi, rdx, vmm{0}, vmm{1}, vmm{2}, 6},
                                   row{r8, r13, vmm{3}, vmm{4}, vmm{5}, 6 + UNROLL}};
    const vmm vmm_scale_{6 + 2 * UNROLL}, vmm_shift_{7 + 2 * UNROLL};
    tail_mask<I> tail_{*this, vmm{8 + 2 * UNROLL}};
    row_walker<I> walker_{*this, reg_position_, reg_left_};
};

template <isa I>
code_ptr generate(const normalize_conf &conf) {
    std::string name = std::string("jitnorm_normalize_") + (I == isa::avx512 ? "avx512" : "avx2");
    if (conf.scale) name += "_scale";
    if (conf.shift) name += "_shift";
    return normalize_generator<I>(conf).seal(name.c_str());
}

} // namespace

normalize_kernel::normalize_kernel(const normalize_conf &conf)
    : code_(find_or_generate(
          conf, [&] { return conf.vectors == isa::avx512 ? generate<isa::avx512>(conf) : generate<isa::avx2>(conf); })),
      run_(code_->entry<void(const normalize_arguments *)>()) {}

} // namespace jitnorm::impl::jit
