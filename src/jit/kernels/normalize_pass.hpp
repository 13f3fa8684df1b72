// SPDX-License-Identifier: Apache-2.0
// normalize_pass: normalizes rows.
#pragma once

#include <array>
#include <optional>

#include "../emit/affine.hpp"
#include "../emit/trace_codegen.hpp"
#include "dynamic_scales.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"
#include "short_normalize.hpp"

namespace jitnorm::impl::jit {

class normalize_pass : row_pass {
    using arguments = forward_arguments<float>;
    static constexpr int UNROLL = 2;

    struct row { // the registers of one row of a pair
        reg src, dst;
        vmm hi, rstd, bias;
        std::vector<vmm> work;
    };

    const normalize_conf conf_;

    bool has_post_ops() const { return !conf_.post_ops.empty(); }
    bool rounds() const { return conf_.normalized != jitnorm_data_type_undef; }
    bool writes_pre_quantization() const { return conf_.pre_quantization != jitnorm_data_type_undef; }
    jitnorm_data_type_t stored() const { return conf_.quantizes ? jitnorm_f32 : conf_.dst; } // of normalized values
    // Non-temporal stores fill whole lines of one row at a time; post-ops, a pre-quantization output and maxima need
    // the registers; rows with their own scale and shift share no loads of these.
    bool takes_pairs() const {
        return !conf_.non_temporal && !has_post_ops() && !writes_pre_quantization() && !conf_.quantizes &&
               !conf_.own_rows;
    }
    // Unpack order is used if then neither src nor dst needs a shuffle. Not with post-ops, which take one vector after
    // the other and need the register.
    bool in_unpack_order() const {
        return unpacks_for_less(g_.kind, conf_.src) && narrowing::joins_two(g_.kind, stored()) && !has_post_ops() &&
               (!writes_pre_quantization() || narrowing::joins_two(g_.kind, conf_.pre_quantization));
    }

    std::array<row, PAIR> take_rows() {
        std::array<row, PAIR> rows;
        const std::array<reg, PAIR> src{g_.rsi, g_.r8}, dst{g_.rdx, g_.r13};
        for (size_t r = 0; r < PAIR; ++r) {
            rows[r].src = registers_.take(src[r]);
            rows[r].dst = registers_.take(dst[r]);
            rows[r].hi = registers_.take_vector();
            rows[r].rstd = registers_.take_vector();
            rows[r].bias = registers_.take_vector();
        }
        for (row &r : rows) r.work = registers_.take_vectors(UNROLL);
        return rows;
    }
    const std::array<row, PAIR> rows_of_pair_ = take_rows();
    // The registers of the second row are free while rows go one by one.
    const reg &operands_ = rows_of_pair_[1].src, &operand_ = rows_of_pair_[1].dst;
    const reg &pre_quantization_ = rows_of_pair_[1].dst;
    const reg scale_at_ = registers_.take(g_.r10), shift_at_ = registers_.take(g_.r11);
    const reg ahead_ = registers_.take(g_.r14);
    const row_in_lines lines_{rows_of_pair_[0].dst, element_bytes(conf_.dst), registers_.take(g_.r9)};
    const reg &values_ = lines_.rest; // the values of a row to be quantized, which is not stored past the caches
    const std::vector<vmm> scale_ = registers_.take_vectors(UNROLL), shift_ = registers_.take_vectors(UNROLL);

    dynamic_scales::registers registers_of_scales() const {
        const auto &[one, free] = rows_of_pair_;
        return {
            values_, one.dst, {free.hi, free.rstd}, free.bias, {one.work[0], one.work[1], free.work[0], free.work[1]}};
    }

    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, shared_.io, {scale_[0], scale_[1]}}; // scale and shift have been used
    dynamic_scales scales_{g_, shared_, conf_.dst, tail_, io_, registers_of_scales()};
    row_loop rows_ = loop_over({{{rows_of_pair_[0].src, rows_of_pair_[1].src}, JITNORM_STRIP(x)},
                                {{rows_of_pair_[0].dst, rows_of_pair_[1].dst}, JITNORM_STRIP(dst)},
                                {{scale_at_}, JITNORM_STRIP(scale), conf_.own_rows},
                                {{shift_at_}, JITNORM_STRIP(shift), conf_.own_rows}});
    scale_shift affine_{g_, io_, conf_, scale_, shift_};
    std::optional<trace_codegen> post_ops_;

public:
    normalize_pass(kernel_generator &g, const pass_context &shared, const normalize_conf &conf)
        : row_pass(g, shared), conf_(conf) {
        if (has_post_ops()) post_ops_.emplace(g, trace_post_ops(conf.post_ops, g.kind.compute), free_registers());
    }

    std::string name(const char *what = "normalize") const {
        return kernel_name(what, g_.kind, {conf_.src, conf_.dst},
                           {{conf_.scale, "scale"},
                            {conf_.shift, "shift"},
                            {!conf_.centered, "rms"},
                            {rounds(), "round_normalized"},
                            {conf_.non_temporal, "non_temporal"},
                            {writes_pre_quantization(), "pre_quantization"},
                            {has_post_ops(), "post_ops"},
                            {conf_.quantizes, "quantizes"},
                            {conf_.groups, "groups"},
                            {conf_.own_rows && !conf_.groups, "own_rows"},
                            {conf_.ahead == prefetch_to::l2, "to_l2"}},
                           conf_.affine_flags);
    }

    // The index has no meaning afterwards.
    void do_all() {
        Xbyak::Label done;
        prepare();
        if (short_normalize::takes(conf_, g_.kind.compute))
            short_normalize(g_, shared_, conf_, tail_, scale_at_, shift_at_).emit(done);
        rows_.point_to_row();
        if (conf_.groups) broadcast_statistics(1);
        if (takes_pairs())
            rows_.step(PAIR, [&] {
                broadcast_statistics(PAIR);
                write_rows(PAIR);
            });
        if (conf_.quantizes) scales_.point_to_first_values();
        rows_.step(1, [&] {
            if (conf_.ahead != prefetch_to::nowhere) {
                g_.mov(ahead_, JITNORM_ARGUMENT(prefetch));
                g_.add(ahead_, rows_of_pair_[0].src);
            }
            if (!conf_.groups) broadcast_statistics(1);
            write_rows(1);
            if (conf_.quantizes) scales_.keep_row();
        });
        if (conf_.quantizes) quantize_rows();
        g_.L(done);
    }

    // write_only_row() writes the row whose hi, rstd and bias are in the lowest lanes of these registers.
    std::array<vmm, 3> scalars_of_one() const {
        return {rows_of_pair_[0].hi, rows_of_pair_[0].rstd, rows_of_pair_[0].bias};
    }
    void write_only_row() {
        prepare();
        rows_.point_to_first();
        for (const vmm &number : scalars_of_one()) g_.ops.broadcast(number, xmm_of(number));
        if (conf_.quantizes) scales_.point_to_first_values();
        write_rows(1);
        if (conf_.quantizes) scales_.quantize_only_row();
    }

private:
    void prepare() {
        g_.mov(count_, JITNORM_ARGUMENT(count));
        g_.mov(scale_at_, JITNORM_ARGUMENT(scale.first));
        g_.mov(shift_at_, JITNORM_ARGUMENT(shift.first));
        tail_.prepare(count_, left_, shared_.position);
        if (conf_.quantizes) scales_.prepare();
        if (!has_post_ops()) io_.prepare(registers_.take_vector(), in_unpack_order(), conf_.src);
    }

    void broadcast_statistics(size_t rows) {
        const auto broadcast = [&](size_t array, vmm row::*to) {
            const auto &[first, second] = rows_of_pair_;
            rows == 1 ? rows_.broadcast(array, {first.*to}) : rows_.broadcast(array, {first.*to, second.*to});
        };
        broadcast(JITNORM_ARRAY(hi), &row::hi);
        broadcast(JITNORM_ARRAY(rstd), &row::rstd);
        broadcast(JITNORM_ARRAY(bias), &row::bias);
    }

    // One row or a pair.
    void write_rows(size_t rows) {
        if (conf_.quantizes) scales_.begin_row();
        loop_.begin(count_);
        normalize_vectors(rows);
    }

    void normalize_vectors(size_t rows) {
        if (has_post_ops()) {
            g_.imul(operands_, index_, int(conf_.post_ops.size() * sizeof(void *)));
            g_.add(operands_, JITNORM_ARGUMENT(operands));
        }
        const int unroll = has_post_ops() ? 1 : UNROLL;
        const auto body = [&](bool past_caches) {
            return [=, this](places vectors) { normalize(std::span(rows_of_pair_).first(rows), vectors, past_caches); };
        };
        if (!conf_.non_temporal) return loop_.walk_freely(unroll, body(false));
        loop_.walk_lines(lines_, tail_, shared_.io, unroll, body(true), body(false));
    }

    void give_hints(std::span<const row> rows, places vectors) {
        if (rows.size() == 1) loop_.prefetch(ahead_, vectors, conf_.src, conf_.ahead);
        if (conf_.non_temporal || conf_.quantizes) return; // values are stored to a cache before they are quantized
        for (const row &r : rows) loop_.prefetch_for_write(r.dst, vectors, conf_.dst);
    }

    // All loads come before the first store: where the distance of rows is a multiple of 4096 bytes, a load would wait
    // for an earlier store to the same place in another row. Rows are stored one after the other, line by line.
    void normalize(std::span<const row> rows, places vectors, bool past_caches) {
        const auto for_each = [&](auto &&use) {
            for (const row &r : rows)
                for (const place &p : vectors) use(r, p, r.work[p.slot]);
        };
        give_hints(rows, vectors);
        for (const row &r : rows)
            conf_.centered ? io_.load_all_differences(r.work, r.hi, r.src, vectors, conf_.src)
                           : io_.load_all(r.work, r.src, vectors, conf_.src);
        if (!rounds()) affine_.load(vectors, scale_at_, shift_at_);
        for_each([&](const row &r, const place &p, const vmm &x) {
            conf_.centered ? g_.ops.negated_fma213(x, r.rstd, r.bias) : g_.ops.fma213(x, r.rstd, r.bias);
            rounds() ? io_.round_normalized(x, conf_.normalized) : affine_.apply(x, p);
        });
        if (rounds()) { // in the registers of scale and shift
            affine_.load(vectors, scale_at_, shift_at_);
            for_each([&](const row &, const place &p, const vmm &x) { affine_.apply(x, p); });
        }
        if (conf_.scaled != jitnorm_data_type_undef)
            for_each([&](const row &, const place &, const vmm &x) { io_.round(x, conf_.scaled); });
        const auto multiply_by = [&](const Xbyak::Address &number) {
            const vmm &factor = scale_[0]; // scale and shift have been used
            g_.ops.broadcast(factor, number);
            for_each([&](const row &, const place &, const vmm &x) { g_.ops.mul(x, x, factor); });
        };
        if (conf_.src_scale) multiply_by(JITNORM_ARGUMENT(src_scale));
        if (writes_pre_quantization()) store_pre_quantization(vectors);
        if (has_post_ops()) for_each([&](const row &, const place &p, const vmm &x) { apply_post_ops(x, p); });
        if (conf_.quantizes) scales_.take_magnitudes(vectors);
        if (conf_.dst_scale) multiply_by(JITNORM_ARGUMENT(inverse_dst_scale));
        for (const row &r : rows)
            io_.store_all(conf_.quantizes ? values_ : r.dst, vectors, r.work, stored(), past_caches);
    }

    // Stores copies of the values, because stores of narrow types change their registers. The copies are in the
    // registers of a pair's second row.
    void store_pre_quantization(places vectors) {
        const auto &[values, copies] = rows_of_pair_;
        rows_.point_to_row(pre_quantization_, JITNORM_STRIP(pre_quantization));
        for (const place &p : vectors) g_.ops.load(copies.work[p.slot], values.work[p.slot]);
        loop_.prefetch_for_write(pre_quantization_, vectors, conf_.pre_quantization);
        io_.store_all(pre_quantization_, vectors, copies.work, conf_.pre_quantization, false);
    }

    void apply_post_ops(const vmm &x, const place &p) {
        post_ops_->emit(x, [&](const step &s, const vmm &v) {
            if (s.what == operation::operand) return load_operand(v, size_t(s.detail), p);
            g_.mov(operand_, JITNORM_ARGUMENT(parameters));
            g_.ops.broadcast(v, g_.ptr[operand_ + int(s.detail) * g_.kind.element()]);
        });
    }

    void load_operand(const vmm &v, size_t i, const place &p) {
        const post_op_conf &op = conf_.post_ops[i];
        if (op.what == post_op_conf::kind::sum) return io_.load(v, rows_of_pair_[0].dst, p, op.operand);
        g_.mov(operand_, g_.ptr[operands_ + int(i * sizeof(void *))]);
        if (op.operand == jitnorm_data_type_undef) return g_.ops.broadcast(v, g_.ptr[operand_]);
        io_.load(v, operand_, p, op.operand);
    }

    // The registers for post-ops include those of the second row, of scale and of shift, which are no longer used.
    std::vector<int> free_registers() {
        const row &second = rows_of_pair_[1];
        register_set used = registers_;
        for (const std::vector<vmm> &free : {second.work, scale_, shift_, {rows_of_pair_[0].work[1]}})
            used.give_back(free); // vectors go one by one
        if (!conf_.quantizes) used.give_back(std::vector{second.hi, second.rstd, second.bias});
        return used.free_vectors();
    }

    // Stores the rows whose values and factors are found. Not row by row: while the processor computes a factor, it
    // needs the values of the next row to work on.
    void quantize_rows() {
        g_.mov(index_, shared_.band_begin);
        rows_.point_to_row();
        scales_.point_to_first_values();
        rows_.step(1, [&] { scales_.quantize_kept_row(); });
    }
};

} // namespace jitnorm::impl::jit
