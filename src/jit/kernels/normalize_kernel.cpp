// SPDX-License-Identifier: Apache-2.0
#include "normalize_kernel.hpp"

#include <array>
#include <optional>

#include "../emit/centered_load.hpp"
#include "../emit/line_hints.hpp"
#include "../emit/post_ops.hpp"
#include "../emit/recorded_code.hpp"
#include "../emit/row_stepper.hpp"
#include "../emit/scale_shift.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"
#include "short_normalize.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class normalize_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = normalize_arguments<T>;
    static constexpr int UNROLL = 2, PAIR = 2;
    static constexpr int WORK = 6, AFFINE = WORK + PAIR * UNROLL; // AFFINE: the first register of scale, then of shift

public:
    explicit normalize_generator(const normalize_conf &conf)
        : kernel_generator(MAX_KERNEL_BYTES * (1 + conf.post_ops.size())), conf_(conf) {
        if (has_post_ops()) post_ops_.emplace(*this, record_post_ops<T>(conf.post_ops), free_registers(), 0);
        generate();
    }
    std::string name() const {
        return kernel_name("normalize", conf_, {conf_.src, conf_.dst},
                           {{conf_.scale && !conf_.scale_plus_one, "scale"},
                            {conf_.scale_plus_one, "scale_plus_one"},
                            {conf_.shift, "shift"},
                            {conf_.non_temporal, "non_temporal"},
                            {has_terms(), "residual"},
                            {writes_unquantized(), "unquantized"},
                            {has_post_ops(), "post_ops"}});
    }

private:
    void generate() {
        open_frame(has_post_ops() ? code_of_post_ops::FRAME_BYTES : 0);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if (crosses()) io_.cross(vmm(AFFINE + 2 * UNROLL + 1));
        if (conf_.src == jitnorm_bf16 && !has_post_ops()) io_.permute_bf16(vmm(AFFINE + 2 * UNROLL + 1));
        if (subtracts_by_products()) products_.keep(vmm(AFFINE + 2 * UNROLL + 1));
        Xbyak::Label done;
        if (short_normalize<I, T>::takes(conf_))
            short_normalize<I, T>(*this, conf_, tail_, one_, reg_count_).emit(reg_scale_, reg_shift_, done);
        normalize_rows();
        L(done);
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
        products_.emit_rest();
        one_.emit_rest();
        if (has_post_ops()) post_ops_->emit_constants();
    }

    bool has_post_ops() const { return !conf_.post_ops.empty(); }
    bool writes_unquantized() const { return conf_.unquantized != jitnorm_data_type_undef; }
    // Crossed pairs are used if then neither src nor dst needs a shuffle. Not with post-ops, which take one vector
    // after the other and need the register.
    bool crosses() const {
        return crosses_for_less<I, T>(conf_.src) && narrowing<I, T>::joins_two(conf_.dst) && !has_post_ops() &&
               (!writes_unquantized() || narrowing<I, T>::joins_two(conf_.unquantized));
    }
    // Where results are converted as well, and are not multiplied by so much already that products have no pipe to
    // spare. Post-ops need the register.
    bool subtracts_by_products() const {
        return widens_like_adding(conf_.src) && conf_.dst != data_type_of<T> && !has_post_ops() &&
               !(conf_.src_scale && conf_.dst_scale);
    }
    // Non-temporal stores fill whole lines of one row at a time, and post-ops and a second output need the registers.
    bool takes_pairs() const { return !conf_.non_temporal && !has_post_ops() && !writes_unquantized(); }

    void load_arguments() {
        mov(src_[0], JITNORM_ARGUMENT(src));
        mov(dst_[0], JITNORM_ARGUMENT(dst));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_scale_, JITNORM_ARGUMENT(scale));
        mov(reg_shift_, JITNORM_ARGUMENT(shift));
        if (has_post_ops()) mov(reg_operands_, JITNORM_ARGUMENT(operands));
    }

    void normalize_rows() {
        Xbyak::Label singles;
        rows_.begin();
        if (takes_pairs()) {
            cmp(qword[rdi + offsetof(arguments, rows_per_pass)], PAIR);
            jb(singles, T_NEAR);
            rows_.step(PAIR, [&] { normalize_pass(PAIR); });
        }
        L(singles);
        rows_.step(1, [&] {
            point_ahead();
            normalize_pass(1);
            if (has_post_ops()) add(reg_operands_, int(conf_.post_ops.size() * sizeof(void *)));
        });
    }

    bool has_terms() const { return conf_.terms[0] != jitnorm_data_type_undef; }

    void point_to_row(const reg &to, const Xbyak::Address &first, const Xbyak::Address &stride) {
        mov(to, reg_index_);
        imul(to, stride);
        add(to, first);
    }

    void point_ahead() {
        if (has_terms()) {
            point_to_row(reg_ahead_, JITNORM_ARGUMENT(terms[0]), JITNORM_ARGUMENT(term_strides[0]));
            point_to_row(reg_ahead_too_, JITNORM_ARGUMENT(terms[1]), JITNORM_ARGUMENT(term_strides[1]));
        } else {
            mov(reg_ahead_, src_[0]);
            add(reg_ahead_, JITNORM_ARGUMENT(prefetch));
        }
    }

    void normalize_pass(size_t rows) {
        rows_.broadcast(JITNORM_ARGUMENT(hi), std::span(hi_).first(rows));
        rows_.broadcast(JITNORM_ARGUMENT(rstd), std::span(rstd_).first(rows));
        rows_.broadcast(JITNORM_ARGUMENT(bias), std::span(bias_).first(rows));
        walker_.begin(reg_count_);
        walker_.walk_freely(has_post_ops() ? 1 : UNROLL, [&](places vectors) { normalize(rows, vectors); });
    }

    // All loads come before the first store: if rows are a multiple of 4096 bytes apart, a load would wait for an
    // earlier store to the same place in another row. Rows are stored one after the other, line by line.
    void normalize(size_t rows, places vectors) {
        const auto for_each = [&](auto &&use) {
            for (size_t r = 0; r < rows; ++r)
                for (const place &p : vectors) use(r, p, vmm(work(r).getIdx() + p.slot));
        };
        give_hints(rows, vectors);
        for (size_t r = 0; r < rows; ++r)
            difference_.emit_all(registers_from<vmm, UNROLL>(work(r).getIdx()), hi_[r], src_[r], vectors);
        affine_.load(vectors, reg_scale_, reg_shift_);
        for_each([&](size_t r, const place &p, const vmm &x) {
            ops_.negated_fma213(x, rstd_[r], bias_[r]);
            affine_.apply(x, p);
        });
        const auto multiply_by = [&](const Xbyak::Address &number) {
            const vmm factor(AFFINE); // this register is free, since scale and shift have been used
            ops_.broadcast(factor, number);
            for_each([&](size_t, const place &, const vmm &x) { ops_.mul(x, x, factor); });
        };
        if (conf_.src_scale) multiply_by(JITNORM_ARGUMENT(src_scale));
        if (writes_unquantized()) store_unquantized(vectors);
        if (has_post_ops()) for_each([&](size_t, const place &p, const vmm &x) { apply_post_ops(x, p); });
        if (conf_.dst_scale) multiply_by(JITNORM_ARGUMENT(inverse_dst_scale));
        for (size_t r = 0; r < rows; ++r) io_.store_all(dst_[r], vectors, work(r), conf_.dst, conf_.non_temporal);
    }

    // Stores copies of the values, because stores of narrow types change their registers. The copies are in the
    // registers of a pair's second row.
    void store_unquantized(places vectors) {
        point_to_row(reg_unquantized_, JITNORM_ARGUMENT(unquantized), JITNORM_ARGUMENT(unquantized_row_stride));
        for (const place &p : vectors) ops_.load(vmm(work(1).getIdx() + p.slot), vmm(work(0).getIdx() + p.slot));
        hints_.claim(reg_unquantized_, vectors, conf_.unquantized);
        io_.store_all(reg_unquantized_, vectors, work(1), conf_.unquantized, false);
    }

    static vmm work(size_t row) { return vmm(WORK + int(row) * UNROLL); } // the first of the row's UNROLL registers

    void give_hints(size_t rows, places vectors) {
        if (rows == 1) hints_.prefetch(reg_ahead_, vectors, has_terms() ? conf_.terms[0] : conf_.src);
        if (rows == 1 && has_terms()) hints_.prefetch(reg_ahead_too_, vectors, conf_.terms[1]);
        if (conf_.non_temporal) return;
        for (size_t r = 0; r < rows; ++r) hints_.claim(dst_[r], vectors, conf_.dst);
    }

    void apply_post_ops(const vmm &x, const place &p) {
        post_ops_->emit(x, [&](const step &s, const vmm &v) {
            if (s.what == operation::operand) return load_operand(v, size_t(s.detail), p);
            mov(reg_operand_, JITNORM_ARGUMENT(parameters));
            ops_.broadcast(v, ptr[reg_operand_ + int(s.detail * sizeof(T))]);
        });
    }

    void load_operand(const vmm &v, size_t i, const place &p) {
        const post_op_conf &op = conf_.post_ops[i];
        if (op.what == post_op_conf::kind::sum) return io_.load(v, dst_[0], p, op.operand);
        mov(reg_operand_, ptr[reg_operands_ + int(i * sizeof(void *))]);
        if (op.operand == jitnorm_data_type_undef) return ops_.broadcast(v, ptr[reg_operand_]);
        io_.load(v, reg_operand_, p, op.operand);
    }

    // The registers for post-ops: all except those of the statistics of one row, its work register and the tail's mask.
    static std::vector<int> free_registers() {
        std::vector<int> registers = {3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15};
        for (int i = 16; i < traits::registers; ++i) registers.push_back(i);
        return registers;
    }

    static std::vector<vmm> affine_registers(bool wanted, int first) {
        return wanted ? std::vector<vmm>{vmm(first), vmm(first + 1)} : std::vector<vmm>{};
    }

    normalize_conf conf_;
    const std::array<reg, PAIR> src_{rsi, r8}, dst_{rdx, r13};
    // These registers are free while rows go one by one.
    const reg &reg_operands_ = r8, &reg_operand_ = r13, &reg_unquantized_ = r13;
    const reg &reg_count_ = rcx, &reg_scale_ = r10, &reg_shift_ = r11;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12, &reg_ahead_ = r14, &reg_ahead_too_ = r9;
    const std::array<vmm, PAIR> hi_{vmm{0}, vmm{3}}, rstd_{vmm{1}, vmm{4}}, bias_{vmm{2}, vmm{5}};
    vector_ops<T> ops_{*this};
    static_assert(short_normalize<I, T>::MASK == AFFINE + 2 * UNROLL);
    tail_mask<I, T> tail_{*this, vmm{AFFINE + 2 * UNROLL}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r15, {vmm(AFFINE), vmm(AFFINE + 1)}}; // scale and shift have been used
    row_stepper<T> rows_{*this,
                         reg_index_,
                         reg_left_,
                         JITNORM_ARGUMENT(rows),
                         {{{src_[0], src_[1]}, JITNORM_ARGUMENT(src_row_stride)},
                          {{dst_[0], dst_[1]}, JITNORM_ARGUMENT(dst_row_stride)}}};
    line_hints<I, T> hints_{*this, walker_};
    unit_products<I, T> products_{*this};
    centered_load<I, T> difference_{*this, io_, conf_.src, true, subtracts_by_products() ? &products_ : nullptr};
    plus_one<I, T> one_{*this, conf_.scale_plus_one};
    scale_shift<I, T> affine_{*this,
                              io_,
                              one_,
                              conf_.scale_shift,
                              affine_registers(conf_.scale, AFFINE),
                              affine_registers(conf_.shift, AFFINE + UNROLL)};
    using code_of_post_ops = recorded_code<I, T>;
    std::optional<code_of_post_ops> post_ops_;
};

} // namespace

code_ptr code_of(const normalize_conf &conf) { return make_kernel<normalize_generator>(conf); }

} // namespace jitnorm::impl::jit
