// SPDX-License-Identifier: Apache-2.0
// scalar_steps: the steps of forward between the reduction of rows and their normalization (moments.hpp), for one row
// or for four side by side, in kernels that do both.
#pragma once

#include <bit>

#include "../../math/moments.hpp"
#include "../emit/sums.hpp"

namespace jitnorm::impl::jit {

class scalar_steps {
    using xmm = Xbyak::Xmm;

public:
    // 1 / count and epsilon are doubles in memory. emit() changes the registers of `reduced`, `flag` and `other`.
    scalar_steps(kernel_generator &g, bool centered, const reduced_rows &reduced, const Xbyak::Address &inverse_count,
                 const Xbyak::Address &epsilon, const reg &flag, const reg &other)
        : g_(g), centered_(centered), of_(reduced), inverse_count_(inverse_count), epsilon_(epsilon),
          flag_(flag.cvt32()), other_(other.cvt32()) {}

    // The results: floats (zeros for hi and bias of rms_norm), and the variances as doubles before they are rounded.
    xmm hi() const { return at(0); }
    xmm rstd() const { return at(1); }
    xmm bias() const { return centered_ ? xmm_of(of_.p) : hi(); }
    vmm variance() const { return wide(of_.q); }

    // Sets `flag`, and the processor's zero flag with it, to zero if the first reduction is enough for all rows.
    void emit() const {
        check_range();
        g_.vcvtps2pd(variance(), xmm_of(of_.q));
        in_double_.broadcast(inverse(), inverse_count_);
        if (centered_) find_mean_and_m2();
        find_variance_and_rstd();
        find_bias();
        if (of_.rows == 1) g_.and_(flag_, 1); // the other lanes have no meaning
        g_.test(flag_, flag_);
    }

private:
    xmm at(size_t i) const { return xmm(of_.free.at(i)); }
    vmm wide(const vmm &v) const { return part_of(v, of_.rows * int(sizeof(double))); }
    vmm lo() const { return wide(of_.s); }
    vmm work() const { return wide(at(2)); }
    vmm inverse() const { return wide(at(3)); }
    void broadcast(const vmm &to, double value) const {
        in_double_.broadcast(to, g_.qword[g_.constant(std::bit_cast<uint64_t>(value), int(sizeof(double)))]);
    }

    // A NaN is out of range.
    void check_range() const {
        constexpr uint8_t NOT_GREATER_EQUAL = 0x19, NOT_LESS_EQUAL = 0x16;
        const xmm q = xmm_of(of_.q), small = hi(), large = rstd();
        g_.vcmpps(small, q, g_.vector_of(layer_norm::SMALLEST_SQUARES), NOT_GREATER_EQUAL);
        g_.vcmpps(large, q, g_.vector_of(layer_norm::LARGEST_SQUARES), NOT_LESS_EQUAL);
        g_.vorps(small, small, large);
        g_.vmovmskps(flag_, small);
    }

    // Also subtracts from m2, which becomes the variance, the excess due to a pivot that is not the mean.
    void find_mean_and_m2() const {
        constexpr uint8_t GREATER = 0x1E;
        const vmm m2 = variance(), sum = lo(), mean = wide(of_.p), shift = work();
        const vmm excess = wide(rstd()), limit = wide(hi());
        g_.vcvtps2pd(sum, xmm_of(of_.s));
        g_.vcvtps2pd(mean, xmm_of(of_.p));
        in_double_.mul(shift, sum, inverse());
        in_double_.mul(excess, sum, shift);
        in_double_.sub(m2, m2, excess);
        broadcast(limit, layer_norm::PIVOT_LIMIT);
        in_double_.mul(limit, limit, m2);
        g_.vcmppd(limit, excess, limit, GREATER); // the pivot is poor
        g_.vmovmskpd(other_, limit);
        g_.or_(flag_, other_);
        in_double_.add(mean, mean, shift);
        g_.vcvtpd2ps(hi(), mean);
        g_.vcvtps2pd(lo(), hi());
        in_double_.sub(lo(), mean, lo());
    }

    void find_variance_and_rstd() const {
        const vmm root = work(), deviation = wide(rstd());
        in_double_.mul(variance(), variance(), inverse());
        in_double_.broadcast(root, epsilon_);
        in_double_.add(root, root, variance());
        in_double_.sqrt(root, root);
        broadcast(deviation, 1);
        in_double_.div(deviation, deviation, root);
        g_.vcvtpd2ps(rstd(), deviation);
    }

    // The squares are in range, so rstd is finite and an lo of zero makes a bias of zero, as make_normalizer() does.
    void find_bias() const {
        if (!centered_) return g_.vxorps(hi(), hi(), hi());
        const xmm shift = xmm_of(lo());
        g_.vcvtps2pd(work(), rstd());
        in_double_.mul(lo(), lo(), work());
        g_.vcvtpd2ps(shift, lo());
        g_.vxorps(bias(), bias(), bias());
        g_.vsubps(bias(), bias(), shift);
    }

    kernel_generator &g_;
    const vector_ops in_double_{g_, true};
    bool centered_;
    const reduced_rows of_;
    Xbyak::Address inverse_count_, epsilon_;
    Xbyak::Reg32 flag_, other_;
};

} // namespace jitnorm::impl::jit
