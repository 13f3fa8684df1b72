// SPDX-License-Identifier: Apache-2.0
#include "backward_data_kernel.hpp"

#include <cstddef>
#include <string>

#include "emit/cache_lines.hpp"
#include "emit/element_io.hpp"
#include "kernel_generator.hpp"
#include "make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class backward_data_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using reg = Xbyak::Reg64;
    using arguments = backward_data_arguments<T>;
    static constexpr jitnorm_data_type_t OWN = data_type_of<T>;
    static constexpr int UNROLL = 2;

public:
    explicit backward_data_generator(const backward_data_conf &conf) : conf_(conf) { generate(); }
    std::string name() const {
        return kernel_name("backward_data", conf_, {conf_.src, conf_.diff_dst, conf_.diff_src},
                           {{conf_.scale, "scale"},
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
        Xbyak::Label row;
        L(row);
        {
            broadcast_statistics();
            if (conf_.prefetching) point_ahead();
            xor_(reg_position_.cvt32(), reg_position_.cvt32());
            mov(reg_left_, reg_count_);
            walker_.walk_freely(UNROLL, [&](places vectors) { compute(vectors); });
            next_row();
        }
        jb(row, T_NEAR);
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void load_arguments() {
        JITNORM_LOAD_ARGUMENT(reg_src_, arguments, src);
        JITNORM_LOAD_ARGUMENT(reg_diff_dst_, arguments, diff_dst);
        JITNORM_LOAD_ARGUMENT(reg_diff_src_, arguments, diff_src);
        JITNORM_LOAD_ARGUMENT(reg_count_, arguments, count);
        JITNORM_LOAD_ARGUMENT(reg_scale_, arguments, scale);
        xor_(reg_index_.cvt32(), reg_index_.cvt32());
    }

    void broadcast_statistics() {
        const auto broadcast = [&](size_t field, const vmm &to) {
            mov(reg_left_, ptr[rdi + field]);
            ops_.broadcast(to, ptr[reg_left_ + reg_index_ * int(sizeof(T))]);
        };
        broadcast(offsetof(arguments, rstd), rstd_);
        if (!conf_.sums) return;
        broadcast(offsetof(arguments, k), k_);
        if (!conf_.centered) return;
        broadcast(offsetof(arguments, mean), mean_);
        broadcast(offsetof(arguments, m1), m1_);
    }

    void point_ahead() {
        const auto point = [&](const reg &ahead, const reg &row, size_t stride) {
            mov(ahead, ptr[rdi + stride]);
            imul(ahead, ptr[rdi + offsetof(arguments, rows_ahead)]);
            add(ahead, row);
        };
        if (conf_.sums) point(reg_src_ahead_, reg_src_, offsetof(arguments, src_row_stride));
        point(reg_diff_dst_ahead_, reg_diff_dst_, offsetof(arguments, diff_dst_row_stride));
    }

    // All loads come before the first store: diff_src may be diff_dst, and a load that follows a store 4096 bytes away
    // would wait for it.
    void compute(places vectors) {
        if (conf_.prefetching) prefetch(vectors);
        if (!conf_.non_temporal) claim_lines(vectors);
        for (const place &p : vectors) load_g(p);
        if (conf_.sums)
            for (const place &p : vectors) load_difference(p);
        for (const place &p : vectors) {
            const vmm &result = conf_.sums ? x_at(p) : g_at(p);
            if (conf_.sums) combine(p);
            ops_.mul(result, result, rstd_);
            io_.store(reg_diff_src_, p, result, conf_.diff_src, conf_.non_temporal, {work_[0], work_[1]});
        }
    }

    void prefetch(places vectors) {
        const auto fetch = [&](const reg &ahead, jitnorm_data_type_t type) {
            const int size = element_bytes(type);
            for_each_cache_line<I, T>(vectors, size,
                                      [&](const place &p) { prefetcht0(ptr[walker_.at(ahead, p, size)]); });
        };
        if (conf_.sums) fetch(reg_src_ahead_, conf_.src);
        fetch(reg_diff_dst_ahead_, conf_.diff_dst);
    }

    void claim_lines(places vectors) {
        const int size = element_bytes(conf_.diff_src);
        for_each_cache_line<I, T>(
            vectors, size, [&](const place &p) { prefetchw(ptr[walker_.at(reg_diff_src_, p, size) + CLAIMED_AHEAD]); });
    }

    void load_g(const place &p) {
        io_.load(g_at(p), reg_diff_dst_, p, conf_.diff_dst);
        if (!conf_.scale) return;
        if (conf_.scale_type == OWN && !p.tail) {
            ops_.mul(g_at(p), g_at(p), ptr[walker_.at(reg_scale_, p, sizeof(T))]);
        } else {
            io_.load(x_at(p), reg_scale_, p, conf_.scale_type);
            ops_.mul(g_at(p), g_at(p), x_at(p));
        }
    }

    void load_difference(const place &p) {
        if (conf_.centered && conf_.src == OWN && !p.tail) {
            ops_.sub(x_at(p), mean_, ptr[walker_.at(reg_src_, p, sizeof(T))]);
        } else {
            io_.load(x_at(p), reg_src_, p, conf_.src);
            if (conf_.centered) ops_.sub(x_at(p), mean_, x_at(p));
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

    void next_row() {
        add(reg_src_, ptr[rdi + offsetof(arguments, src_row_stride)]);
        add(reg_diff_dst_, ptr[rdi + offsetof(arguments, diff_dst_row_stride)]);
        add(reg_diff_src_, ptr[rdi + offsetof(arguments, diff_src_row_stride)]);
        inc(reg_index_);
        cmp(reg_index_, ptr[rdi + offsetof(arguments, rows)]);
    }

    const vmm &g_at(const place &p) const { return g_[p.slot]; }
    const vmm &x_at(const place &p) const { return x_[p.slot]; }

    backward_data_conf conf_;
    const reg &reg_src_ = rsi, &reg_diff_dst_ = rdx, &reg_diff_src_ = r8, &reg_count_ = rcx, &reg_scale_ = r10;
    const reg &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12;
    const reg &reg_src_ahead_ = r13, &reg_diff_dst_ahead_ = r14;
    const vmm mean_{0}, rstd_{1}, m1_{2}, k_{3};
    const vmm g_[UNROLL] = {vmm{4}, vmm{5}}, x_[UNROLL] = {vmm{6}, vmm{7}}, work_[2] = {vmm{8}, vmm{9}};
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{10}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r15};
};

} // namespace

template <typename T>
backward_data_kernel<T>::backward_data_kernel(const backward_data_conf &conf)
    : kernel<backward_data_arguments<T>>(make_kernel<backward_data_generator, T>(conf)) {}

template class backward_data_kernel<float>;
template class backward_data_kernel<double>;

} // namespace jitnorm::impl::jit
