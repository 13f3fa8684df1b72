// SPDX-License-Identifier: Apache-2.0
// The kernel for several rows of forward with rms_norm. The scalar steps of a row are done as soon as it is reduced,
// while the next one is: they need nothing of the other rows.
#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

class forward_rms_generator : public kernel_generator {
    using arguments = forward_rms_arguments;

public:
    explicit forward_rms_generator(const forward_rms_conf &conf)
        : kernel_generator(kind_of(conf.written), 2 * MAX_KERNEL_BYTES), conf_(conf) {
        Xbyak::Label unfinished;
        open_frame(reduced_.frame_bytes() + written_.frame_bytes());
        mov(are_found(), 1);
        reduced_.sum_each([this](const reduced_row &row) { find_numbers(row); });
        cmp(are_found(), 0);
        je(unfinished, NEAR);
        written_.write_all();
        L(unfinished);
        close_frame();
    }
    std::string name() const { return written_.name("forward_rms"); }

private:
    void find_numbers(const reduced_row &row) {
        detour &unfinished = rarely([this] { mov(are_found(), 0); });
        const scalar_steps steps(*this, false, row, JITNORM_ARGUMENT(inverse_count), JITNORM_ARGUMENT(epsilon));
        vmovss(of_row(JITNORM_ARGUMENT(reduced.q), sizeof(float)), xmm_of(row.q));
        steps.emit(unfinished.begin);
        vmovss(of_row(JITNORM_ARGUMENT(written.rstd), sizeof(float)), steps.rstd());
        vmovsd(of_row(JITNORM_ARGUMENT(variance), sizeof(double)), steps.variance());
        L(unfinished.end);
    }

    Xbyak::Address of_row(const Xbyak::Address &array, int size) {
        mov(loops_.left, array);
        return ptr[loops_.left + loops_.index * size];
    }
    Xbyak::Address are_found() const { return byte[rdi + offsetof(arguments, are_found)]; }

    const forward_rms_conf conf_;
    const loop_registers loops_{*this};
    reduction_pass reduced_{*this, {loops_, rdi + offsetof(arguments, reduced)}, conf_.reduced};
    normalize_pass written_{*this, {loops_, rdi + offsetof(arguments, written), reduced_.frame_bytes()}, conf_.written};
};

} // namespace

code_ptr code_of(const forward_rms_conf &conf) { return make_kernel<forward_rms_generator>(conf); }

} // namespace jitnorm::impl::jit
