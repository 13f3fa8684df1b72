// SPDX-License-Identifier: Apache-2.0
// scalar_steps: the steps of forward between the reduction of a row and its normalization (moments.hpp), in the lowest
// lanes of registers, for kernels that do both.
#pragma once

#include <bit>
#include <vector>

#include "../../math/moments.hpp"
#include "../kernel_generator.hpp"

namespace jitnorm::impl::jit {

// What the reduction of a row leaves: the registers whose lowest lanes have the pivot, s and q, of rms_norm q alone;
// and the numbers of those that are free until the next row begins, at least six.
struct reduced_row {
    vmm p, s, q;
    std::vector<int> free;
};

class scalar_steps {
    using xmm = Xbyak::Xmm;

public:
    // 1 / count and epsilon are doubles in memory.
    scalar_steps(kernel_generator &g, bool centered, const reduced_row &row, const Xbyak::Address &inverse_count,
                 const Xbyak::Address &epsilon)
        : g_(g), centered_(centered), row_(row), inverse_count_(inverse_count), epsilon_(epsilon) {}

    // What is found: floats, zeros for hi and bias of rms_norm; and the variance, a double, before it is rounded.
    xmm hi() const { return at(0); }
    xmm rstd() const { return at(1); }
    xmm bias() const { return at(2); }
    xmm variance() const { return at(3); }

    // Goes to `unfinished` if the first reduction is not enough.
    void emit(Xbyak::Label &unfinished) const {
        const xmm q = xmm_of(row_.q);
        g_.vucomiss(q, g_.number(layer_norm::SMALLEST_SQUARES));
        g_.jb(unfinished, NEAR); // also NaN
        g_.vucomiss(q, g_.number(layer_norm::LARGEST_SQUARES));
        g_.ja(unfinished, NEAR);
        g_.vcvtss2sd(variance(), q, q);
        if (centered_) find_mean(unfinished);
        find_deviation();
        find_bias();
    }

private:
    xmm at(size_t i) const { return xmm(row_.free.at(i)); }
    xmm lo() const { return at(4); }
    xmm work() const { return at(5); }

    // Also subtracts from m2, which becomes the variance, what it has too much because the pivot is not the mean.
    void find_mean(Xbyak::Label &unfinished) const {
        const xmm p = xmm_of(row_.p), s = xmm_of(row_.s), m2 = variance();
        const xmm sum = lo(), mean = bias(), shift = work(), excess = rstd(), limit = hi();
        g_.vcvtss2sd(sum, s, s);
        g_.vcvtss2sd(mean, p, p);
        g_.vmulsd(shift, sum, inverse_count_);
        g_.vmulsd(excess, sum, shift);
        g_.vsubsd(m2, m2, excess);
        g_.vmulsd(limit, m2, wide_number(layer_norm::PIVOT_LIMIT));
        g_.vucomisd(excess, limit);
        g_.ja(unfinished, NEAR); // the pivot is poor
        g_.vaddsd(mean, mean, shift);
        g_.vcvtsd2ss(hi(), mean, mean);
        g_.vcvtss2sd(lo(), hi(), hi());
        g_.vsubsd(lo(), mean, lo());
    }

    void find_deviation() const {
        const xmm root = work();
        g_.vmulsd(variance(), variance(), inverse_count_);
        g_.vaddsd(root, variance(), epsilon_);
        g_.vsqrtsd(root, root, root);
        g_.vmovsd(rstd(), wide_number(1));
        g_.vdivsd(rstd(), rstd(), root);
        g_.vcvtsd2ss(rstd(), rstd(), rstd());
    }

    // The squares are in range, so rstd is finite and an lo of zero makes a bias of zero, as make_normalizer() does.
    void find_bias() const {
        g_.vxorps(bias(), bias(), bias());
        if (!centered_) return g_.vxorps(hi(), hi(), hi());
        g_.vcvtss2sd(work(), rstd(), rstd());
        g_.vmulsd(lo(), lo(), work());
        g_.vcvtsd2ss(lo(), lo(), lo());
        g_.vsubss(bias(), bias(), lo());
    }

    Xbyak::Address wide_number(double value) const {
        return g_.qword[g_.constant(std::bit_cast<uint64_t>(value), int(sizeof(double)))];
    }

    kernel_generator &g_;
    bool centered_;
    const reduced_row row_;
    Xbyak::Address inverse_count_, epsilon_;
};

} // namespace jitnorm::impl::jit
