// SPDX-License-Identifier: Apache-2.0
#include "backward_data_kernel.hpp"

#include "../emit/centered_load.hpp"
#include "../emit/line_hints.hpp"
#include "../emit/plus_one.hpp"
#include "../emit/row_stepper.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class backward_data_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = backward_data_arguments<T>;
    static constexpr int UNROLL = 2;

public:
    explicit backward_data_generator(const backward_data_conf &conf) : conf_(conf) { generate(); }
    std::string name() const {
        return kernel_name("backward_data", conf_, {conf_.src, conf_.diff_dst, conf_.diff_src},
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
        if (crosses()) io_.cross(vmm(11));
        if (conf_.diff_dst == jitnorm_bf16) io_.permute_bf16(vmm(11));
        if (widens_like_adding(conf_.src) && conf_.diff_dst != jitnorm_bf16) products_.keep(vmm(11));
        rows_.begin();
        rows_.step(1, [&] {
            broadcast_statistics();
            if (conf_.prefetching) {
                mov(reg_ahead_, reg_diff_dst_);
                add(reg_ahead_, JITNORM_ARGUMENT(prefetch));
            }
            walker_.begin(reg_count_);
            walker_.walk_freely(UNROLL, [&](places vectors) { compute(vectors); });
        });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
        products_.emit_rest();
        one_.emit_rest();
    }

    bool adds() const { return conf_.diff_sum != jitnorm_data_type_undef; }
    // Crossed pairs are used if then no tensor needs a shuffle.
    bool crosses() const {
        return crosses_for_less<I, T>(conf_.src) && crosses_for_less<I, T>(conf_.diff_dst) &&
               narrowing<I, T>::joins_two(conf_.diff_src);
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
        if (conf_.prefetching) hints_.prefetch(reg_ahead_, vectors, conf_.diff_dst);
        if (!conf_.non_temporal) hints_.claim(reg_diff_src_, vectors, conf_.diff_src);
        load_g(vectors);
        if (conf_.sums) difference_.emit_all(x_, mean_, reg_src_, vectors);
        const auto &results = conf_.sums ? x_ : g_;
        for (const place &p : vectors) {
            const vmm &result = results[size_t(p.slot)];
            if (conf_.sums) combine(p);
            ops_.mul(result, result, rstd_);
        }
        if (adds())
            io_.use_all(conf_.sums ? g_ : x_, reg_diff_sum_, vectors, conf_.diff_sum,
                        [&](const place &p, const Xbyak::Operand &other) {
                            ops_.add(results[size_t(p.slot)], results[size_t(p.slot)], other);
                        });
        io_.store_all(reg_diff_src_, vectors, results[size_t(vectors.front().slot)], conf_.diff_src,
                      conf_.non_temporal);
    }

    // g = diff_dst * scale
    void load_g(places vectors) {
        io_.load_all(g_, reg_diff_dst_, vectors, conf_.diff_dst);
        if (one_.is_wanted()) {
            io_.load_all(x_, reg_scale_, vectors, conf_.scale_type);
            for (const place &p : vectors) {
                one_.add_to(x_at(p));
                ops_.mul(g_at(p), g_at(p), x_at(p));
            }
        } else if (conf_.scale) {
            io_.use_all(x_, reg_scale_, vectors, conf_.scale_type,
                        [&](const place &p, const Xbyak::Operand &scale) { ops_.mul(g_at(p), g_at(p), scale); });
        }
    }

    void combine(const place &p) {
        if (conf_.centered) {
            ops_.sub(g_at(p), g_at(p), m1_);
            ops_.fma213(x_at(p), k_, g_at(p));
        } else {
            ops_.negated_fma213(x_at(p), k_, g_at(p));
        }
    }

    const vmm &g_at(const place &p) const { return g_[p.slot]; }
    const vmm &x_at(const place &p) const { return x_[p.slot]; }

    backward_data_conf conf_;
    const reg &reg_src_ = rsi, &reg_diff_dst_ = rdx, &reg_diff_src_ = r8, &reg_diff_sum_ = r9, &reg_count_ = rcx,
              &reg_scale_ = r10;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12;
    const reg &reg_ahead_ = r14;
    const vmm mean_{0}, rstd_{1}, m1_{2}, k_{3};
    const vmm g_[UNROLL] = {vmm{4}, vmm{5}}, x_[UNROLL] = {vmm{6}, vmm{7}};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{10}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r15, {vmm{8}, vmm{9}}};
    row_stepper<T> rows_{*this,
                         reg_index_,
                         reg_left_,
                         JITNORM_ARGUMENT(rows),
                         {{{reg_src_}, JITNORM_ARGUMENT(src_row_stride)},
                          {{reg_diff_dst_}, JITNORM_ARGUMENT(diff_dst_row_stride)},
                          {{reg_diff_sum_}, JITNORM_ARGUMENT(diff_sum_row_stride)},
                          {{reg_diff_src_}, JITNORM_ARGUMENT(diff_src_row_stride)}}};
    line_hints<I, T> hints_{*this, walker_};
    unit_products<I, T> products_{*this};
    centered_load<I, T> difference_{*this, io_, conf_.src, conf_.centered, &products_};
    plus_one<I, T> one_{*this, conf_.scale_plus_one};
};

} // namespace

code_ptr code_of(const backward_data_conf &conf) { return make_kernel<backward_data_generator>(conf); }

} // namespace jitnorm::impl::jit
