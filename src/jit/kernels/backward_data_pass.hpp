// SPDX-License-Identifier: Apache-2.0
// backward_data_pass: computes diff_src of rows whose sums are known.
#pragma once

#include "../emit/affine.hpp"
#include "../emit/element_io.hpp"
#include "kernels.hpp"
#include "row_pass.hpp"

namespace jitnorm::impl::jit {

class backward_data_pass : row_pass {
    using arguments = backward_arguments<float>;
    static constexpr int UNROLL = 2;

    const backward_data_conf conf_;

    bool adds() const { return conf_.diff_sum != jitnorm_data_type_undef; }
    bool subtracts_means() const { return conf_.sums && conf_.centered; }
    // Unpack order is used if then no tensor needs a shuffle.
    bool in_unpack_order() const {
        return unpacks_for_less(g_.kind, conf_.src) && unpacks_for_less(g_.kind, conf_.diff_dst) &&
               narrowing::joins_two(g_.kind, conf_.diff_src);
    }

    const reg src_ = registers_.take(g_.rsi), diff_dst_ = registers_.take(g_.rdx), diff_src_ = registers_.take(g_.r8);
    const reg diff_sum_ = registers_.take(g_.r9), scale_at_ = registers_.take(g_.r10);
    const row_in_lines lines_{diff_src_, element_bytes(conf_.diff_src), registers_.take(g_.r11)};
    const vmm mean_ = registers_.take_vector(), rstd_ = registers_.take_vector();
    const vmm m1_ = registers_.take_vector(), k_ = registers_.take_vector();
    const std::vector<vmm> g_values_ = registers_.take_vectors(UNROLL), x_ = registers_.take_vectors(UNROLL);
    const std::vector<vmm> narrowing_ = registers_.take_vectors(2);

    tail_mask tail_{g_, registers_.take_vector()};
    element_io io_{g_, tail_, loop_, shared_.io, narrowing_};
    row_loop rows_ = loop_over({{{src_}, JITNORM_STRIP(src)},
                                {{diff_dst_}, JITNORM_STRIP(diff_dst)},
                                {{diff_src_}, JITNORM_STRIP(diff_src)},
                                {{scale_at_}, JITNORM_STRIP(scale), conf_.scale},
                                {{diff_sum_}, JITNORM_STRIP(diff_sum), adds()}});

public:
    backward_data_pass(kernel_generator &g, const pass_context &shared, const backward_data_conf &conf)
        : row_pass(g, shared), conf_(conf) {}

    std::string name(const char *what = "backward_data") const {
        return kernel_name(what, g_.kind, {conf_.src, conf_.diff_dst, conf_.diff_src},
                           {{conf_.scale, "scale"},
                            {adds(), "residual"},
                            {!conf_.centered, "rms"},
                            {!conf_.sums, "global"},
                            {conf_.non_temporal, "non_temporal"}},
                           conf_.affine_flags);
    }

    void do_all() {
        prepare();
        rows_.point_to_row();
        rows_.step(1, [&] {
            broadcast_statistics();
            broadcast_slopes();
            loop_.begin(count_);
            compute_vectors();
        });
    }

private:
    void prepare() {
        g_.mov(count_, JITNORM_ARGUMENT(count));
        tail_.prepare(count_, left_, shared_.position);
        io_.prepare(registers_.take_vector(), in_unpack_order(), conf_.diff_dst);
    }

    void broadcast_statistics() {
        rows_.broadcast(JITNORM_ARRAY(rstd), {rstd_});
        if (subtracts_means()) rows_.broadcast(JITNORM_ARRAY(mean), {mean_});
    }

    void broadcast_slopes() {
        if (conf_.sums) rows_.broadcast(JITNORM_ARRAY(k), {k_});
        if (subtracts_means()) rows_.broadcast(JITNORM_ARRAY(m1), {m1_});
    }

    void compute_vectors() {
        const auto body = [&](bool past_caches) {
            return [=, this](places vectors) { compute(vectors, past_caches); };
        };
        if (!conf_.non_temporal) return loop_.walk_freely(UNROLL, body(false));
        loop_.walk_lines(lines_, tail_, shared_.io, UNROLL, body(true), body(false));
    }

    // All loads come before the first store: diff_src may overwrite an input in place, and a load would wait for an
    // earlier store to an address that differs by a multiple of 4096 bytes.
    void compute(places vectors, bool past_caches) {
        if (!conf_.non_temporal) loop_.prefetch_for_write(diff_src_, vectors, conf_.diff_src);
        load_g(vectors);
        if (subtracts_means())
            io_.load_all_differences(x_, mean_, src_, vectors, conf_.src);
        else if (conf_.sums)
            io_.load_all(x_, src_, vectors, conf_.src);
        const auto &results = conf_.sums ? x_ : g_values_;
        for (const place &p : vectors) {
            const vmm &result = results[p.slot];
            if (conf_.sums) combine(p);
            g_.ops.mul(result, result, rstd_);
        }
        if (adds())
            io_.use_all(conf_.sums ? g_values_ : x_, diff_sum_, vectors, conf_.diff_sum,
                        [&](const place &p, const Xbyak::Operand &other) {
                            g_.ops.add(results[p.slot], results[p.slot], other);
                        });
        io_.store_all(diff_src_, vectors, results, conf_.diff_src, past_caches);
    }

    // g = diff_dst * scale
    void load_g(places vectors) {
        io_.load_all(g_values_, diff_dst_, vectors, conf_.diff_dst);
        if (conf_.scale && !multiplies_as_stored(conf_.affine_flags)) {
            io_.load_all(x_, scale_at_, vectors, conf_.scale_type);
            for (const place &p : vectors) {
                to_factors(g_, conf_.affine_flags, x_[p.slot]);
                g_.ops.mul(g_values_[p.slot], g_values_[p.slot], x_[p.slot]);
            }
        } else if (conf_.scale) {
            io_.use_all(x_, scale_at_, vectors, conf_.scale_type, [&](const place &p, const Xbyak::Operand &scale) {
                g_.ops.mul(g_values_[p.slot], g_values_[p.slot], scale);
            });
        }
    }

    void combine(const place &p) {
        if (conf_.centered) {
            g_.ops.sub(g_values_[p.slot], g_values_[p.slot], m1_);
            g_.ops.fma213(x_[p.slot], k_, g_values_[p.slot]);
        } else {
            g_.ops.negated_fma213(x_[p.slot], k_, g_values_[p.slot]);
        }
    }
};

} // namespace jitnorm::impl::jit
