// SPDX-License-Identifier: Apache-2.0
#include "addition_kernel.hpp"

#include <array>

#include "../emit/block_loop.hpp"
#include "../emit/element_io.hpp"
#include "../emit/lane_fold.hpp"
#include "../emit/line_hints.hpp"
#include "../emit/row_stepper.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class addition_generator : public kernel_generator {
    using vmm = typename vector_traits<I>::vmm;
    using arguments = addition_arguments<T>;
    static constexpr int VECTORS = layer_norm::FORWARD_LANES<T> / VECTOR_WIDTH<I, T>; // registers for sums of squares
    static constexpr int UNROLL = 2;                                                  // without sums of squares

public:
    explicit addition_generator(const addition_conf &conf) : conf_(conf) { generate(); }
    std::string name() const {
        return kernel_name("addition", conf_, {conf_.src, conf_.residual, conf_.sum, conf_.row},
                           {{has_bias(), "bias"}, {conf_.squares, "squares"}});
    }

private:
    void generate() {
        open_frame(VECTORS * vector_traits<I>::bytes);
        load_arguments();
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        rows_.begin();
        rows_.step(1, [&] { conf_.squares ? add_row_and_squares() : add_row(); });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void add_row() {
        walker_.begin(reg_count_);
        walker_.walk_freely(UNROLL, [&](places vectors) {
            claim(vectors);
            add(vectors);
            store(vectors);
        });
    }

    // The absent elements of an incomplete vector are zeros and do not change the sums.
    void add_row_and_squares() {
        blocks_.sum(q_, VECTORS, [&](places vectors) {
            claim(vectors);
            add(vectors);
            for (const place &p : vectors) ops_.fma231(q_[size_t(p.slot)], x_[size_t(p.slot)], x_[size_t(p.slot)]);
            store(vectors);
        });
        mov(reg_left_, JITNORM_ARGUMENT(q));
        ops_.store_lowest(ptr[rows_.numbers(reg_left_)], fold_.to_lowest(q_));
    }

    bool has_bias() const { return conf_.bias != jitnorm_data_type_undef; }
    bool writes_sum() const { return conf_.sum != jitnorm_data_type_undef; }

    void load_arguments() {
        mov(reg_src_, JITNORM_ARGUMENT(src));
        mov(reg_residual_, JITNORM_ARGUMENT(residual));
        mov(reg_bias_, JITNORM_ARGUMENT(bias));
        mov(reg_sum_, JITNORM_ARGUMENT(sum));
        mov(reg_row_, JITNORM_ARGUMENT(row));
        mov(reg_count_, JITNORM_ARGUMENT(count));
    }

    void claim(places vectors) {
        if (writes_sum()) hints_.claim(reg_sum_, vectors, conf_.sum);
    }

    void add(places vectors) {
        const auto add_all = [&](const reg &row, jitnorm_data_type_t type) {
            io_.use_all(other_, row, vectors, type, [&](const place &p, const Xbyak::Operand &term) {
                ops_.add(x_[size_t(p.slot)], x_[size_t(p.slot)], term);
            });
        };
        io_.load_all(x_, reg_src_, vectors, conf_.src);
        add_all(reg_residual_, conf_.residual);
        if (has_bias()) add_all(reg_bias_, conf_.bias);
    }

    // All loads come before the first store, because the stores may overwrite the residual. Stores of narrow types
    // change their registers.
    void store(places vectors) {
        const bool changes = conf_.row != conf_.compute;
        if (changes && writes_sum())
            for (const place &p : vectors) ops_.load(other_[size_t(p.slot)], x_[size_t(p.slot)]);
        const vmm &rounded = changes && writes_sum() ? other_[0] : x_[0];
        io_.store_all(reg_row_, vectors, rounded, conf_.row, false);
        if (writes_sum()) io_.store_all(reg_sum_, vectors, x_[0], conf_.sum, false);
    }

    addition_conf conf_;
    const reg &reg_src_ = rsi, &reg_residual_ = rdx, &reg_sum_ = r8, &reg_row_ = r9, &reg_bias_ = r10;
    const reg &reg_count_ = rcx, &reg_position_ = rax, &reg_left_ = rbx, &reg_index_ = r12, &reg_rest_ = r14;
    const std::array<vmm, VECTORS> x_ = registers_from<vmm, VECTORS>(0);
    const std::array<vmm, VECTORS> other_ = registers_from<vmm, VECTORS>(VECTORS);
    const std::array<vmm, VECTORS> q_ = registers_from<vmm, VECTORS>(2 * VECTORS);
    static_assert(VECTORS >= UNROLL);
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{3 * VECTORS + 2}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r13, {vmm{3 * VECTORS}, vmm{3 * VECTORS + 1}}};
    row_stepper<T> rows_{*this,
                         reg_index_,
                         reg_left_,
                         JITNORM_ARGUMENT(rows),
                         {{{reg_src_}, JITNORM_ARGUMENT(src_row_stride)},
                          {{reg_residual_}, JITNORM_ARGUMENT(residual_row_stride)},
                          {{reg_sum_}, JITNORM_ARGUMENT(sum_row_stride)},
                          {{reg_row_}, JITNORM_ARGUMENT(row_stride)}}};
    line_hints<I, T> hints_{*this, walker_};
    block_loop<I, T> blocks_{*this, walker_, reg_count_, reg_rest_};
    lane_fold<I, T> fold_{*this, xmm_t(x_[0].getIdx())};
};

} // namespace

code_ptr code_of(const addition_conf &conf) { return make_kernel<addition_generator>(conf); }

} // namespace jitnorm::impl::jit
