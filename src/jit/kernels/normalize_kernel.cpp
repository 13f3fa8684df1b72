// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "../emit/affine.hpp"
#include "../emit/loops.hpp"
#include "../emit/trace_codegen.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"
#include "short_normalize.hpp"

namespace jitnorm::impl::jit {

namespace {

class normalize_generator : public kernel_generator {
    using arguments = normalize_arguments<float>;
    static constexpr int UNROLL = 2, PAIR = 2;

    struct row { // the registers of one row of a pair
        reg src, dst;
        vmm hi, rstd, bias;
        std::vector<vmm> work;
    };

public:
    explicit normalize_generator(const normalize_conf &conf)
        : kernel_generator(kind_of(conf), MAX_KERNEL_BYTES * (1 + conf.post_ops.size())), conf_(conf) {
        if (has_post_ops()) post_ops_.emplace(*this, trace_post_ops(conf.post_ops, conf.compute), free_registers(), 0);
        generate();
    }
    std::string name() const {
        return kernel_name("normalize", kind, {conf_.src, conf_.dst},
                           {{conf_.scale && !conf_.scale_plus_one, "scale"},
                            {conf_.scale_plus_one, "scale_plus_one"},
                            {conf_.shift, "shift"},
                            {conf_.non_temporal, "non_temporal"},
                            {has_terms(), "residual"},
                            {writes_pre_quantization(), "pre_quantization"},
                            {has_post_ops(), "post_ops"}});
    }

private:
    void generate() {
        open_frame(has_post_ops() ? trace_codegen::frame_bytes(kind) : 0);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        if (!has_post_ops()) prepare_loads();
        Xbyak::Label done;
        if (short_normalize::takes(conf_))
            short_normalize(*this, conf_, tail_, reg_count_, reg_scale_, reg_shift_).emit(done);
        normalize_rows();
        L(done);
        close_frame();
    }

    // At most one of these three needs the register.
    void prepare_loads() {
        const vmm kept = registers.take_vector();
        if (in_unpack_order()) io_.use_unpack_order(kept);
        if (conf_.src == jitnorm_bf16) io_.permute_bf16(kept);
        if (subtracts_by_products()) products_.keep(kept);
    }

    bool has_post_ops() const { return !conf_.post_ops.empty(); }
    bool writes_pre_quantization() const { return conf_.pre_quantization != jitnorm_data_type_undef; }
    // Unpack order is used if then neither src nor dst needs a shuffle. Not with post-ops, which take one vector after
    // the other and need the register.
    bool in_unpack_order() const {
        return unpacks_for_less(kind, conf_.src) && narrowing::joins_two(kind, conf_.dst) && !has_post_ops() &&
               (!writes_pre_quantization() || narrowing::joins_two(kind, conf_.pre_quantization));
    }
    // Where results are converted as well, and are not multiplied by so much already that products have no pipe to
    // spare. Post-ops need the register.
    bool subtracts_by_products() const {
        return widens_like_adding(conf_.src) && conf_.dst != conf_.compute && !has_post_ops() &&
               !(conf_.src_scale && conf_.dst_scale);
    }
    // Non-temporal stores fill whole lines of one row at a time, and post-ops and a second output need the registers.
    bool takes_pairs() const { return !conf_.non_temporal && !has_post_ops() && !writes_pre_quantization(); }

    void load_arguments() {
        mov(rows_of_pair_[0].src, JITNORM_ARGUMENT(src));
        mov(rows_of_pair_[0].dst, JITNORM_ARGUMENT(dst));
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
            mov(reg_ahead_, rows_of_pair_[0].src);
            add(reg_ahead_, JITNORM_ARGUMENT(prefetch));
        }
    }

    void normalize_pass(size_t rows) {
        broadcast(rows, JITNORM_ARGUMENT(hi), &row::hi);
        broadcast(rows, JITNORM_ARGUMENT(rstd), &row::rstd);
        broadcast(rows, JITNORM_ARGUMENT(bias), &row::bias);
        loop_.begin(reg_count_);
        loop_.walk_freely(has_post_ops() ? 1 : UNROLL,
                          [&](places vectors) { normalize(std::span(rows_of_pair_).first(rows), vectors); });
    }

    void broadcast(size_t rows, const Xbyak::Address &array, vmm row::*to) {
        const Xbyak::RegExp first = rows_.numbers(array);
        for (size_t r = 0; r < rows; ++r) ops.broadcast(rows_of_pair_[r].*to, ptr[first + r * size_t(kind.element())]);
    }

    // All loads come before the first store: if rows are a multiple of 4096 bytes apart, a load would wait for an
    // earlier store to the same place in another row. Rows are stored one after the other, line by line.
    void normalize(std::span<const row> rows, places vectors) {
        const auto for_each = [&](auto &&use) {
            for (const row &r : rows)
                for (const place &p : vectors) use(r, p, r.work[size_t(p.slot)]);
        };
        give_hints(rows, vectors);
        for (const row &r : rows) difference_.emit_all(r.work, r.hi, r.src, vectors);
        affine_.load(vectors, reg_scale_, reg_shift_);
        for_each([&](const row &r, const place &p, const vmm &x) {
            ops.negated_fma213(x, r.rstd, r.bias);
            affine_.apply(x, p);
        });
        const auto multiply_by = [&](const Xbyak::Address &number) {
            const vmm &factor = scale_[0]; // scale and shift have been used
            ops.broadcast(factor, number);
            for_each([&](const row &, const place &, const vmm &x) { ops.mul(x, x, factor); });
        };
        if (conf_.src_scale) multiply_by(JITNORM_ARGUMENT(src_scale));
        if (writes_pre_quantization()) store_pre_quantization(vectors);
        if (has_post_ops()) for_each([&](const row &, const place &p, const vmm &x) { apply_post_ops(x, p); });
        if (conf_.dst_scale) multiply_by(JITNORM_ARGUMENT(inverse_dst_scale));
        for (const row &r : rows) io_.store_all(r.dst, vectors, r.work, conf_.dst, conf_.non_temporal);
    }

    // Stores copies of the values, because stores of narrow types change their registers. The copies are in the
    // registers of a pair's second row.
    void store_pre_quantization(places vectors) {
        const auto &[values, copies] = rows_of_pair_;
        point_to_row(reg_pre_quantization_, JITNORM_ARGUMENT(pre_quantization),
                     JITNORM_ARGUMENT(pre_quantization_row_stride));
        for (const place &p : vectors) ops.load(copies.work[size_t(p.slot)], values.work[size_t(p.slot)]);
        loop_.prefetch_for_write(reg_pre_quantization_, vectors, conf_.pre_quantization);
        io_.store_all(reg_pre_quantization_, vectors, copies.work, conf_.pre_quantization, false);
    }

    void give_hints(std::span<const row> rows, places vectors) {
        if (rows.size() == 1) loop_.prefetch(reg_ahead_, vectors, has_terms() ? conf_.terms[0] : conf_.src);
        if (rows.size() == 1 && has_terms()) loop_.prefetch(reg_ahead_too_, vectors, conf_.terms[1]);
        if (conf_.non_temporal) return;
        for (const row &r : rows) loop_.prefetch_for_write(r.dst, vectors, conf_.dst);
    }

    void apply_post_ops(const vmm &x, const place &p) {
        post_ops_->emit(x, [&](const step &s, const vmm &v) {
            if (s.what == operation::operand) return load_operand(v, size_t(s.detail), p);
            mov(reg_operand_, JITNORM_ARGUMENT(parameters));
            ops.broadcast(v, ptr[reg_operand_ + int(s.detail) * kind.element()]);
        });
    }

    void load_operand(const vmm &v, size_t i, const place &p) {
        const post_op_conf &op = conf_.post_ops[i];
        if (op.what == post_op_conf::kind::sum) return io_.load(v, rows_of_pair_[0].dst, p, op.operand);
        mov(reg_operand_, ptr[reg_operands_ + int(i * sizeof(void *))]);
        if (op.operand == jitnorm_data_type_undef) return ops.broadcast(v, ptr[reg_operand_]);
        io_.load(v, reg_operand_, p, op.operand);
    }

    // The registers for post-ops: also those of the second row, and of scale and shift, which have been used.
    std::vector<int> free_registers() {
        const row &second = rows_of_pair_[1];
        register_set used = registers;
        for (const std::vector<vmm> &free : {std::vector{second.hi, second.rstd, second.bias},
                                             second.work,
                                             scale_,
                                             shift_,
                                             {rows_of_pair_[0].work[1]}})
            used.give_back(free); // vectors go one by one
        return used.free_vectors();
    }

    std::array<row, PAIR> take_rows() {
        std::array<row, PAIR> rows;
        const std::array<reg, PAIR> src{rsi, r8}, dst{rdx, r13};
        for (size_t r = 0; r < PAIR; ++r) {
            rows[r].src = registers.take(src[r]);
            rows[r].dst = registers.take(dst[r]);
            rows[r].hi = registers.take_vector();
            rows[r].rstd = registers.take_vector();
            rows[r].bias = registers.take_vector();
        }
        for (row &r : rows) r.work = registers.take_vectors(UNROLL);
        return rows;
    }

    const normalize_conf conf_;
    const std::array<row, PAIR> rows_of_pair_ = take_rows();
    // The registers of the second row are free while rows go one by one.
    const reg &reg_operands_ = rows_of_pair_[1].src, &reg_operand_ = rows_of_pair_[1].dst;
    const reg &reg_pre_quantization_ = rows_of_pair_[1].dst;
    const reg reg_count_ = registers.take(rcx), reg_scale_ = registers.take(r10), reg_shift_ = registers.take(r11);
    const reg reg_position_ = registers.take(rax), reg_left_ = registers.take(rbx), reg_index_ = registers.take(r12);
    const reg reg_ahead_ = registers.take(r14), reg_ahead_too_ = registers.take(r9), reg_io_ = registers.take(r15);
    const std::vector<vmm> scale_ = registers.take_vectors(UNROLL), shift_ = registers.take_vectors(UNROLL);
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_, {scale_[0], scale_[1]}}; // scale and shift have been used
    row_loop rows_{*this,
                   reg_index_,
                   reg_left_,
                   JITNORM_ARGUMENT(rows),
                   {{{rows_of_pair_[0].src, rows_of_pair_[1].src}, JITNORM_ARGUMENT(src_row_stride)},
                    {{rows_of_pair_[0].dst, rows_of_pair_[1].dst}, JITNORM_ARGUMENT(dst_row_stride)}}};
    unit_products products_{*this};
    centered_load difference_{*this, io_, conf_.src, true, subtracts_by_products() ? &products_ : nullptr};
    scale_shift affine_{*this,
                        io_,
                        conf_.scale_shift,
                        conf_.scale_plus_one,
                        conf_.scale ? scale_ : std::vector<vmm>{},
                        conf_.shift ? shift_ : std::vector<vmm>{}};
    std::optional<trace_codegen> post_ops_;
};

} // namespace

code_ptr code_of(const normalize_conf &conf) { return make_kernel<normalize_generator>(conf); }

} // namespace jitnorm::impl::jit
