// SPDX-License-Identifier: Apache-2.0
// addition_pass: adds rows to residual rows, and may reduce the results.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "../emit/eight_sums.hpp"
#include "../emit/trace_codegen.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class addition_pass : row_pass {
    using arguments = forward_arguments<float>;
    static constexpr int UNROLL = 2; // with silu 1

    const addition_conf conf_;

    bool has_bias() const { return conf_.bias != jitnorm_data_type_undef; }
    bool has_gate() const { return conf_.gate != jitnorm_data_type_undef; }
    bool writes_sum() const { return conf_.sum != jitnorm_data_type_undef; }
    int unroll() const { return conf_.silu ? 1 : UNROLL; }

    const reg src_ = registers_.take(g_.rsi), residual_ = registers_.take(g_.rdx), sum_ = registers_.take(g_.r8);
    const reg row_ = registers_.take(g_.r9), rest_ = registers_.take(g_.r14);
    const reg next_lanes_ = registers_.take(g_.r11); // of eights
    const reg vector_ = registers_.take(g_.r10);     // at the bias or at the gate, or at one after the other
    const int vectors_ = forward_vectors(g_.kind);   // registers for the lanes of a sum, at least UNROLL
    // UNROLL registers, of which slots take turns.
    std::vector<vmm> take_in_turns() {
        const std::vector<vmm> few = registers_.take_vectors(UNROLL);
        std::vector<vmm> of_slots;
        for (int slot = 0; slot < vectors_; ++slot) of_slots.push_back(few[size_t(slot % UNROLL)]);
        return of_slots;
    }
    const std::vector<vmm> x_ = take_in_turns(), other_ = take_in_turns();
    const std::vector<vmm> q_ = conf_.reduces ? registers_.take_vectors(vectors_) : std::vector<vmm>();
    const std::vector<vmm> s_ = conf_.centered ? registers_.take_vectors(vectors_) : std::vector<vmm>();
    const std::vector<vmm> sums_ = joined(s_, q_);
    const vmm pivot_ = conf_.centered ? registers_.take_vector() : vmm();
    const std::vector<vmm> narrowing_ = registers_.take_vectors(2);

    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, shared_.io, narrowing_};
    row_loop rows_ = loop_over({{{src_}, JITNORM_STRIP(src)},
                                {{residual_}, JITNORM_STRIP(residual)},
                                {{sum_}, JITNORM_STRIP(sum)},
                                {{row_}, JITNORM_STRIP(x)}});
    pivots pivots_{g_, loop_, count_, other_[1]};
    blocked_sum blocks_{g_, loop_, count_, rest_, int(sums_.size())};
    horizontal_sum total_{g_, x_[0]};
    std::optional<eight_sums> eights_; // where the pass reduces rows
    std::optional<trace_codegen> silu_;

public:
    addition_pass(kernel_generator &g, const pass_context &shared, const addition_conf &conf)
        : row_pass(g, shared), conf_(conf) {
        if (conf.reduces)
            eights_.emplace(g, rows_, index_, next_lanes_, joined(sums_, other_), x_[0], g.reserve(eight_sums::BYTES),
                            conf.centered,
                            eight_sums::arrays{JITNORM_ARRAY(pivot), JITNORM_ARRAY(s), JITNORM_ARRAY(q)});
        if (!conf.silu) return;
        const post_op_conf product[] = {{post_op_conf::kind::binary, jitnorm_binary_mul_silu, false, conf.residual}};
        register_set used = registers_;
        used.give_back(std::array{x_[1], other_[0], other_[1]}); // only slot 0 is in use
        used.give_back(narrowing_);                              // only stores need these
        silu_.emplace(g, trace_post_ops(product, g.kind.compute), used.free_vectors());
    }

    std::string name() const {
        return kernel_name("addition", g_.kind, {conf_.src, conf_.residual, conf_.sum, conf_.row},
                           {{has_gate(), "gate"},
                            {has_bias(), "bias"},
                            {conf_.reduces, conf_.centered ? "reduced" : "reduced_rms"},
                            {conf_.silu, "silu"},
                            {conf_.ahead == prefetch_to::l2, "to_l2"}});
    }

    void do_all() {
        prepare();
        rows_.point_to_row();
        if (conf_.reduces) {
            rows_.while_left(BAND_UNIT, [&] {
                eights_->begin();
                eights_->sum_rows(total_, s_, q_, false, [this] { add_row(); });
                eights_->add_up();
            });
        }
        rows_.step(1, [&] {
            add_row();
            if (conf_.reduces) store_sums();
        });
    }

    // What it returns has a meaning if the pass reduces.
    reduced_rows add_only_row() {
        prepare();
        rows_.point_to_first();
        add_row();
        if (!conf_.reduces) return reduced_rows();
        store_sums();
        return {1, pivot_, conf_.centered ? s_[0] : q_[0], q_[0]};
    }

private:
    void add_row() {
        const auto add = [&](places vectors) {
            loop_.prefetch(src_ + AHEAD_WHILE_REDUCED, vectors, conf_.src, conf_.ahead);
            loop_.prefetch(residual_ + AHEAD_WHILE_REDUCED, vectors, conf_.residual, conf_.ahead);
            add_vectors(vectors);
        };
        if (conf_.centered) find_pivot();
        if (conf_.reduces) return blocks_.sum(sums_, vectors_, add);
        loop_.begin(count_);
        loop_.walk_freely(unroll(), add);
    }

    void store_sums() {
        if (conf_.centered) total_.store(s_, rows_, JITNORM_ARRAY(s));
        total_.store(q_, rows_, JITNORM_ARRAY(q));
    }

    void prepare() {
        if (has_bias()) g_.mov(vector_, JITNORM_ARGUMENT(sum_bias));
        if (has_gate()) g_.mov(vector_, JITNORM_ARGUMENT(gate));
        if (g_.kind.is_avx512() && !conf_.silu) io_.permute_bf16(registers_.take_vector());
        g_.mov(count_, JITNORM_ARGUMENT(chunk));
        tail_.prepare(count_, left_, shared_.position);
    }

    // Computes the sums of the row's first elements only for the pivot. Loads all before the loop stores anything.
    void find_pivot() {
        pivots_.begin(left_);
        pivots_.find(x_[0], other_[0], [this](places first) { add(first); });
        g_.ops.store_lowest(g_.ptr[rows_.of_row(JITNORM_ARRAY(pivot))], xmm_of(x_[0]));
        g_.ops.broadcast(pivot_, xmm_of(x_[0]));
    }

    void add_vectors(places vectors) {
        for (places rest = vectors; !rest.empty();) {
            const places some = rest.first(std::min(rest.size(), size_t(UNROLL)));
            if (writes_sum()) loop_.prefetch_for_write(sum_, some, conf_.sum);
            add(some);
            if (conf_.reduces) accumulate(some);
            store(some);
            rest = rest.subspan(some.size());
        }
    }

    // The absent elements of an incomplete vector are zeros, and so are their differences.
    void accumulate(places vectors) {
        for (const place &p : vectors) {
            const vmm &d = conf_.centered ? other_[p.slot] : x_[p.slot];
            if (conf_.centered) {
                g_.ops.sub(d, pivot_, x_[p.slot]);
                if (p.tail) tail_.zero_absent(d);
                g_.ops.sub(s_[p.slot], s_[p.slot], d);
            }
            g_.ops.fma231(q_[p.slot], d, d);
        }
    }

    void add(places vectors) {
        const auto add_all = [&](const reg &row, jitnorm_data_type_t type) {
            io_.use_all(other_, row, vectors, type,
                        [&](const place &p, const Xbyak::Operand &term) { g_.ops.add(x_[p.slot], x_[p.slot], term); });
        };
        io_.load_all(x_, src_, vectors, conf_.src);
        const bool has_both = has_gate() && has_bias();
        if (has_both) g_.mov(vector_, JITNORM_ARGUMENT(gate));
        if (has_gate())
            io_.use_all(other_, vector_, vectors, conf_.gate, [&](const place &p, const Xbyak::Operand &factor) {
                g_.ops.mul(x_[p.slot], x_[p.slot], factor);
            });
        if (!conf_.silu)
            add_all(residual_, conf_.residual);
        else
            for (const place &p : vectors)
                silu_->emit(x_[p.slot], [&](const step &, const vmm &v) { io_.load(v, residual_, p, conf_.residual); });
        if (has_both) g_.mov(vector_, JITNORM_ARGUMENT(sum_bias));
        if (has_bias()) add_all(vector_, conf_.bias);
    }

    // All loads come before the first store, because the stores may overwrite the residual. Stores of narrow types
    // change their registers.
    void store(places vectors) {
        const bool changes = conf_.row != g_.kind.compute;
        if (changes && writes_sum())
            for (const place &p : vectors) g_.ops.load(other_[p.slot], x_[p.slot]);
        io_.store_all(row_, vectors, changes && writes_sum() ? other_ : x_, conf_.row, false);
        if (writes_sum()) io_.store_all(sum_, vectors, x_, conf_.sum, false);
    }
};

} // namespace jitnorm::impl::jit
