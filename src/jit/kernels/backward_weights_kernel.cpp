// SPDX-License-Identifier: Apache-2.0
#include "../emit/element_io.hpp"
#include "../kernel_generator.hpp"
#include "kernels.hpp"

namespace jitnorm::impl::jit {

namespace {

class backward_weights_generator : public kernel_generator {
    using arguments = backward_weights_arguments;
    static constexpr int UNROLL = 4;

public:
    explicit backward_weights_generator(const backward_weights_conf &conf) : kernel_generator(conf.kind), conf_(conf) {
        open_frame();
        mov(reg_start_, JITNORM_ARGUMENT(start));
        mov(reg_stride_, JITNORM_ARGUMENT(sums_stride));
        mov(reg_to_, JITNORM_ARGUMENT(to));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        loop_.begin(reg_count_);
        loop_.walk_freely(UNROLL, [&](places columns) { add_up(columns); });
        close_frame();
    }
    std::string name() const { return kernel_name("backward_weights", kind, {conf_.sums, conf_.to}); }

private:
    void add_up(places columns) {
        Xbyak::Label next, end;
        for (const place &p : columns) ops.clear(totals_[p.slot]);
        if (kind.is_f64()) add_start(columns);
        mov(reg_sums_, JITNORM_ARGUMENT(sums));
        mov(reg_number_, JITNORM_ARGUMENT(number));
        test(reg_number_, reg_number_);
        jz(end, NEAR);
        L(next);
        for (const place &p : columns) {
            io_.load(terms_[p.slot], reg_sums_, p, conf_.sums);
            ops.add(totals_[p.slot], totals_[p.slot], terms_[p.slot]);
        }
        add(reg_sums_, reg_stride_);
        dec(reg_number_);
        jnz(next, NEAR);
        L(end);
        for (const place &p : columns) io_.store(reg_to_, p, totals_[p.slot], conf_.to, false);
    }

    void add_start(places columns) {
        Xbyak::Label zeros;
        test(reg_start_, reg_start_);
        jz(zeros, NEAR);
        for (const place &p : columns) io_.load(totals_[p.slot], reg_start_, p, jitnorm_f64);
        L(zeros);
    }

    const backward_weights_conf conf_;
    const reg reg_start_ = registers.take(rsi), reg_stride_ = registers.take(rdx), reg_to_ = registers.take(r8);
    const reg reg_count_ = registers.take(rcx), reg_sums_ = registers.take(r9), reg_number_ = registers.take(r10);
    const reg reg_position_ = registers.take(rax), reg_left_ = registers.take(rbx), reg_io_ = registers.take(r15);
    const std::vector<vmm> totals_ = registers.take_vectors(UNROLL), terms_ = registers.take_vectors(UNROLL);
    const std::vector<vmm> narrowing_{terms_[0], registers.take_vector()}; // terms have been added
    tail_mask tail_{*this, registers.take_vector()};
    vector_loop loop_{*this, reg_position_, reg_left_};
    element_io io_{*this, tail_, loop_, reg_io_, narrowing_};
};

} // namespace

code_ptr code_of(const backward_weights_conf &conf) { return make_kernel<backward_weights_generator>(conf); }

} // namespace jitnorm::impl::jit
