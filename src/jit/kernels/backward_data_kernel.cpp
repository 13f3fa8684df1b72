// SPDX-License-Identifier: Apache-2.0
#include "../emit/affine.hpp"
#include "../emit/loops.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

class backward_data_generator : public kernel_generator {
    using arguments = backward_data_arguments<float>;
    static constexpr int UNROLL = 2;

public:
    explicit backward_data_generator(const backward_data_conf &conf) : kernel_generator(kind_of(conf)), conf_(conf) {
        generate();
    }
    std::string name() const {
        return kernel_name("backward_data", kind, {conf_.src, conf_.diff_dst, conf_.diff_src},
                           {{conf_.scale && !conf_.scale_plus_one, "scale"},
                            {conf_.scale_plus_one, "scale_plus_one"},
                            {adds(), "residual"},
                            {!conf_.centered, "rms"},
                            {!conf_.sums, "global"},
                            {conf_.prefetching, "prefetching"},
                            {conf_.non_temporal, "non_temporal"}});
    }

private:
    void generate() {
        open_frame(0);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        prepare_loads();
        rows_.begin();
        rows_.step(1, [&] {
            broadcast_statistics();
            if (conf_.prefetching) {
                mov(reg_ahead_, reg_diff_dst_);
                add(reg_ahead_, JITNORM_ARGUMENT(prefetch));
            }
            loop_.begin(reg_count_);
            loop_.walk_freely(UNROLL, [&](places vectors) { compute(vectors); });
        });
        close_frame();
    }

    // At most one of these three needs the register.
    void prepare_loads() {
        const vmm kept = registers.take_vector();
        if (in_unpack_order()) io_.use_unpack_order(kept);
        if (conf_.diff_dst == jitnorm_bf16) io_.permute_bf16(kept);
        if (widens_like_adding(conf_.src) && conf_.diff_dst != jitnorm_bf16) products_.keep(kept);
    }

    bool adds() const { return conf_.diff_sum != jitnorm_data_type_undef; }
    // Unpack order is used if then no tensor needs a shuffle.
    bool in_unpack_order() const {
        return unpacks_for_less(kind, conf_.src) && unpacks_for_less(kind, conf_.diff_dst) &&
               narrowing::joins_two(kind, conf_.diff_src);
    }

    void load_arguments() {
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_diff_dst_, JITNORM_ARGUMENT(diff_dst));
        mov(reg_diff_src_, JITNORM_ARGUMENT(diff_src));
        mov(reg_diff_sum_, JITNORM_ARGUMENT(diff_sum));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        mov(reg_scale_, JITNORM_ARGUMENT(scale));
    }

    void broadcast_statistics() {
        const auto broadcast = [&](const vmm &to, const Xbyak::Address &array) {
            rows_.broadcast(array, std::span(&to, 1));
        };
        broadcast(rstd_, JITNORM_ARGUMENT(rstd));
        if (!conf_.sums) return;
        broadcast(k_, JITNORM_ARGUMENT(k));
        if (!conf_.centered) return;
        broadcast(mean_, JITNORM_ARGUMENT(mean));
        broadcast(m1_, JITNORM_ARGUMENT(m1));
    }

    // All loads come before the first store: diff_src may overwrite an input in place, and a load would wait for an
    // earlier store to an address that differs by a multiple of 4096 bytes.
    void compute(places vectors) {
        if (conf_.prefetching) loop_.prefetch(reg_ahead_, vectors, conf_.diff_dst);
        if (!conf_.non_temporal) loop_.prefetch_for_write(reg_diff_src_, vectors, conf_.diff_src);
        load_g(vectors);
        if (conf_.sums) difference_.emit_all(x_, mean_, reg_src_, vectors);
        const auto &results = conf_.sums ? x_ : g_;
        for (const place &p : vectors) {
            const vmm &result = results[size_t(p.slot)];
            if (conf_.sums) combine(p);
            ops.mul(result, result, rstd_);
        }
        if (adds())
            io_.use_all(conf_.sums ? g_ : x_, reg_diff_sum_, vectors, conf_.diff_sum,
                        [&](const place &p, const Xbyak::Operand &other) {
                            ops.add(results[size_t(p.slot)], results[size_t(p.slot)], other);
                        });
        io_.store_all(reg_diff_src_, vectors, results, conf_.diff_src, conf_.non_temporal);
    }

    // g = diff_dst * scale
    void load_g(places vectors) {
        io_.load_all(g_, reg_diff_dst_, vectors, conf_.diff_dst);
        if (conf_.scale_plus_one) {
            io_.load_all(x_, reg_scale_, vectors, conf_.scale_type);
            for (const place &p : vectors) {
                add_one(*this, x_at(p));
                ops.mul(g_at(p), g_at(p), x_at(p));
            }
        } else if (conf_.scale) {
            io_.use_all(x_, reg_scale_, vectors, conf_.scale_type,
                        [&](const place &p, const Xbyak::Operand &scale) { ops.mul(g_at(p), g_at(p), scale); });
        }
    }

    void combine(const place &p) {
        if (conf_.centered) {
            ops.sub(g_at(p), g_at(p), m1_);
            ops.fma213(x_at(p), k_, g_at(p));
        } else {
            ops.negated_fma213(x_at(p), k_, g_at(p));
        }
    }

    const vmm &g_at(const place &p) const { return g_[size_t(p.slot)]; }
    const vmm &x_at(const place &p) const { return x_[size_t(p.slot)]; }

    const backward_data_conf conf_;
    const reg reg_src_ = registers.take(rsi), reg_diff_dst_ = registers.take(rdx), reg_diff_src_ = registers.take(r8);
    const reg reg_diff_sum_ = registers.take(r9), reg_count_ = registers.take(rcx), reg_scale_ = registers.take(r10);
    const reg reg_position_ = registers.take(rax), reg_left_ = registers.take(rbx), reg_index_ = registers.take(r12);
    const reg reg_ahead_ = registers.take(r14), reg_io_ = registers.take(r15);
    const vmm mean_ = registers.take_vector(), rstd_ = registers.take_vector();
    const vmm m1_ = registers.take_vector(), k_ = registers.take_vector();
    const std::vector<vmm> g_ = registers.take_vectors(UNROLL), x_ = registers.take_vectors(UNROLL);
    const std::array<vmm, 2> narrowing_{registers.take_vector(), registers.take_vector()};
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_, narrowing_};
    row_loop rows_{*this,
                   reg_index_,
                   reg_left_,
                   JITNORM_ARGUMENT(rows),
                   {{{reg_src_}, JITNORM_ARGUMENT(src_row_stride)},
                    {{reg_diff_dst_}, JITNORM_ARGUMENT(diff_dst_row_stride)},
                    {{reg_diff_sum_}, JITNORM_ARGUMENT(diff_sum_row_stride)},
                    {{reg_diff_src_}, JITNORM_ARGUMENT(diff_src_row_stride)}}};
    unit_products products_{*this};
    centered_load difference_{*this, io_, conf_.src, conf_.centered, &products_};
};

} // namespace

code_ptr code_of(const backward_data_conf &conf) { return make_kernel<backward_data_generator>(conf); }

} // namespace jitnorm::impl::jit
