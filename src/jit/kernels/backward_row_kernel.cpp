// SPDX-License-Identifier: Apache-2.0
#include "backward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

class backward_row_generator : public kernel_generator {
    using arguments = backward_row_arguments<float>;
    using xmm = Xbyak::Xmm;

public:
    explicit backward_row_generator(const backward_row_conf &conf)
        : kernel_generator(kind_of(conf.written), 2 * MAX_KERNEL_BYTES), conf_(conf) {
        Xbyak::Label next;
        open_frame(reduced_.frame_bytes() + written_.frame_bytes());
        xor_(loops_.index.cvt32(), loops_.index.cvt32());
        L(next);
        find_slopes(reduced_.sum_one());
        written_.write_one();
        inc(loops_.index);
        cmp(loops_.index, JITNORM_ARGUMENT(reduced.rows));
        jb(next, NEAR);
        close_frame();
    }
    std::string name() const { return written_.name("backward_row"); }

private:
    // The steps of slopes_of(). The register of m1 may be that of s2, which is read before.
    void find_slopes(const backward_sums_pass::row_sums &sums) {
        const auto [m1, k] = written_.slopes_of_one();
        const xmm &rstd = sums.free;
        find_mean(sums.s2);
        mov(loops_.left, JITNORM_ARGUMENT(written.rstd));
        load_wide(rstd, ptr[loops_.left + loops_.index * kind.element()]);
        vmulsd(sums.s2, sums.s2, rstd);
        store_narrow(xmm_of(k), sums.s2);
        if (!conf_.reduced.centered) return;
        find_mean(sums.s1);
        store_narrow(xmm_of(m1), sums.s1);
    }

    // sum = (0 + sum) / count, in double
    void find_mean(const xmm &sum) {
        if (!kind.is_f64()) vcvtss2sd(sum, sum, sum);
        vaddsd(sum, sum, qword[constant(0, int(sizeof(double)))]);
        vmulsd(sum, sum, JITNORM_ARGUMENT(inverse_count));
    }

    void load_wide(const xmm &to, const Xbyak::Address &number) {
        kind.is_f64() ? vmovsd(to, number) : vcvtss2sd(to, to, number);
    }
    void store_narrow(const xmm &to, const xmm &value) {
        kind.is_f64() ? vmovapd(to, value) : vcvtsd2ss(to, value, value);
    }

    const backward_row_conf conf_;
    const loop_registers loops_{*this};
    backward_sums_pass reduced_{*this, {loops_, rdi + offsetof(arguments, reduced)}, conf_.reduced};
    backward_data_pass written_{
        *this, {loops_, rdi + offsetof(arguments, written), reduced_.frame_bytes()}, conf_.written};
};

} // namespace

code_ptr code_of(const backward_row_conf &conf) { return make_kernel<backward_row_generator>(conf); }

} // namespace jitnorm::impl::jit
