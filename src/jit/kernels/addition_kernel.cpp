// SPDX-License-Identifier: Apache-2.0
#include "../emit/element_io.hpp"
#include "../emit/loops.hpp"
#include "../emit/sums.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

class addition_generator : public kernel_generator {
    using arguments = addition_arguments<float>;
    static constexpr int UNROLL = 2; // without sums of squares

public:
    explicit addition_generator(const addition_conf &conf) : kernel_generator(kind_of(conf)), conf_(conf) {
        generate();
    }
    std::string name() const {
        return kernel_name("addition", kind, {conf_.src, conf_.residual, conf_.sum, conf_.row},
                           {{has_bias(), "bias"}, {conf_.squares, "squares"}});
    }

private:
    void generate() {
        open_frame(vectors_ * kind.bytes());
        mov(reg_bias_, JITNORM_ARGUMENT(bias));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        rows_.begin();
        rows_.step(1, [&] { conf_.squares ? add_row_and_squares() : add_row(); });
        close_frame();
    }

    void add_row() {
        loop_.begin(reg_count_);
        loop_.walk_freely(UNROLL, [&](places vectors) {
            prefetch_sum(vectors);
            add(vectors);
            store(vectors);
        });
    }

    // The absent elements of an incomplete vector are zeros and do not change the sums.
    void add_row_and_squares() {
        blocks_.sum(q_, vectors_, [&](places vectors) {
            prefetch_sum(vectors);
            add(vectors);
            for (const place &p : vectors) ops.fma231(q_[size_t(p.slot)], x_[size_t(p.slot)], x_[size_t(p.slot)]);
            store(vectors);
        });
        mov(reg_left_, JITNORM_ARGUMENT(q));
        ops.store_lowest(ptr[rows_.numbers(reg_left_)], total_.to_lowest(q_));
    }

    bool has_bias() const { return conf_.bias != jitnorm_data_type_undef; }
    bool writes_sum() const { return conf_.sum != jitnorm_data_type_undef; }

    void prefetch_sum(places vectors) {
        if (writes_sum()) loop_.prefetch_for_write(reg_sum_, vectors, conf_.sum);
    }

    void add(places vectors) {
        const auto add_all = [&](const reg &row, jitnorm_data_type_t type) {
            io_.use_all(other_, row, vectors, type, [&](const place &p, const Xbyak::Operand &term) {
                ops.add(x_[size_t(p.slot)], x_[size_t(p.slot)], term);
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
            for (const place &p : vectors) ops.load(other_[size_t(p.slot)], x_[size_t(p.slot)]);
        io_.store_all(reg_row_, vectors, changes && writes_sum() ? other_ : x_, conf_.row, false);
        if (writes_sum()) io_.store_all(reg_sum_, vectors, x_, conf_.sum, false);
    }

    const addition_conf conf_;
    const reg reg_src_ = registers.take(rsi), reg_residual_ = registers.take(rdx), reg_sum_ = registers.take(r8);
    const reg reg_row_ = registers.take(r9), reg_bias_ = registers.take(r10), reg_count_ = registers.take(rcx);
    const reg reg_position_ = registers.take(rax), reg_left_ = registers.take(rbx), reg_index_ = registers.take(r12);
    const reg reg_rest_ = registers.take(r14), reg_io_ = registers.take(r13);
    const int vectors_ = forward_vectors(kind); // registers for sums of squares, at least UNROLL
    const std::vector<vmm> x_ = registers.take_vectors(vectors_), other_ = registers.take_vectors(vectors_);
    const std::vector<vmm> q_ = registers.take_vectors(vectors_);
    const std::array<vmm, 2> narrowing_{registers.take_vector(), registers.take_vector()};
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_, narrowing_};
    row_loop rows_{*this,
                   reg_index_,
                   reg_left_,
                   JITNORM_ARGUMENT(rows),
                   {{{reg_src_}, JITNORM_ARGUMENT(src), JITNORM_ARGUMENT(src_row_stride)},
                    {{reg_residual_}, JITNORM_ARGUMENT(residual), JITNORM_ARGUMENT(residual_row_stride)},
                    {{reg_sum_}, JITNORM_ARGUMENT(sum), JITNORM_ARGUMENT(sum_row_stride)},
                    {{reg_row_}, JITNORM_ARGUMENT(row), JITNORM_ARGUMENT(row_stride)}}};
    blocked_sum blocks_{*this, loop_, reg_count_, reg_rest_};
    horizontal_sum total_{*this, x_[0]};
};

} // namespace

code_ptr code_of(const addition_conf &conf) { return make_kernel<addition_generator>(conf); }

} // namespace jitnorm::impl::jit
