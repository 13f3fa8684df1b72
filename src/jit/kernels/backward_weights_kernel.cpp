// SPDX-License-Identifier: Apache-2.0
#include "backward_weights_kernel.hpp"

#include "../emit/element_io.hpp"
#include "../kernel_generator.hpp"
#include "../make_kernel.hpp"

namespace jitnorm::impl::jit {

namespace {

template <isa I, typename T>
class backward_weights_generator : public kernel_generator {
    using traits = vector_traits<I>;
    using vmm = typename traits::vmm;
    using arguments = backward_weights_arguments;
    static constexpr int UNROLL = 4;

public:
    explicit backward_weights_generator(const backward_weights_conf &conf) : conf_(conf) { generate(); }
    std::string name() const { return kernel_name("backward_weights", conf_, {conf_.sums, conf_.to}); }

private:
    void generate() {
        open_frame(0);
        mov(reg_start_, JITNORM_ARGUMENT(start));
        mov(reg_stride_, JITNORM_ARGUMENT(sums_stride));
        mov(reg_to_, JITNORM_ARGUMENT(to));
        mov(reg_count_, JITNORM_ARGUMENT(count));
        tail_.prepare(reg_count_, reg_left_, reg_position_);
        walker_.begin(reg_count_);
        walker_.walk_freely(UNROLL, [&](places columns) { add_up(columns); });
        close_frame();
        tail_.emit_table();
        io_.emit_rest();
    }

    void add_up(places columns) {
        Xbyak::Label zeros, next, end;
        for (const place &p : columns) ops_.clear(total(p));
        test(reg_start_, reg_start_);
        jz(zeros, T_NEAR);
        for (const place &p : columns) io_.load(total(p), reg_start_, p, jitnorm_f64);
        L(zeros);
        mov(reg_sums_, JITNORM_ARGUMENT(sums));
        mov(reg_number_, JITNORM_ARGUMENT(number));
        test(reg_number_, reg_number_);
        jz(end, T_NEAR);
        L(next);
        for (const place &p : columns) {
            io_.load(term(p), reg_sums_, p, conf_.sums);
            ops_.add(total(p), total(p), term(p));
        }
        add(reg_sums_, reg_stride_);
        dec(reg_number_);
        jnz(next, T_NEAR);
        L(end);
        for (const place &p : columns) io_.store(reg_to_, p, total(p), conf_.to, false);
    }

    static vmm total(const place &p) { return vmm(p.slot); }
    static vmm term(const place &p) { return vmm(UNROLL + p.slot); }

    backward_weights_conf conf_;
    const reg &reg_start_ = rsi, &reg_stride_ = rdx, &reg_to_ = r8, &reg_count_ = rcx;
    const reg &reg_sums_ = r9, &reg_number_ = r10, &reg_position_ = rax, &reg_left_ = rbx;
    vector_ops<T> ops_{*this};
    tail_mask<I, T> tail_{*this, vmm{2 * UNROLL + 1}};
    row_walker<I, T> walker_{*this, reg_position_, reg_left_};
    element_io<I, T> io_{*this, tail_, walker_, r15, {vmm{UNROLL}, vmm{2 * UNROLL}}}; // terms have been added
};

} // namespace

code_ptr code_of(const backward_weights_conf &conf) { return make_kernel<backward_weights_generator>(conf); }

} // namespace jitnorm::impl::jit
