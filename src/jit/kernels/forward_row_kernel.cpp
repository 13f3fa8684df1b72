// SPDX-License-Identifier: Apache-2.0
// The kernel for one row of forward. There is nothing else to do while a step waits for the one before it, so the sums,
// the scalar steps (moments.hpp) and the numbers that follow from them stay in registers.
#include <algorithm>
#include <bit>

#include "../../math/moments.hpp"
#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

class forward_row_generator : public kernel_generator {
    using arguments = forward_row_arguments;
    using xmm = Xbyak::Xmm;

public:
    explicit forward_row_generator(const forward_row_conf &conf)
        : kernel_generator(kind_of(conf.written), 2 * MAX_KERNEL_BYTES), conf_(conf) {
        int frame = reduced_.frame_bytes() + written_.frame_bytes();
        if (conf.added) {
            added_.emplace(*this, pass_place{loops_, rdi + offsetof(arguments, added), frame, false, true},
                           *conf.added);
            frame += added_->frame_bytes();
        }
        detour &given = rarely([this] { load_numbers(); });
        open_frame(frame);
        point_to_numbers();
        cmp(byte[numbers_ + offsetof(forward_row_numbers, are_given)], 0);
        jne(given.begin, NEAR);
        const std::array<vmm, 3> sums = reduce();
        detour &unfinished = rarely([=, this] { store_sums(sums); });
        find_numbers(sums, unfinished.begin);
        L(given.end);
        written_.write_one();
        L(unfinished.end);
        close_frame();
    }
    std::string name() const { return written_.name(conf_.reduced.centered ? "forward_row" : "forward_row_rms"); }

private:
    void point_to_numbers() { mov(numbers_, JITNORM_ARGUMENT(numbers)); }

    // Returns the registers whose lowest lanes have p, s and q; of rms_norm q alone.
    std::array<vmm, 3> reduce() {
        const std::array<vmm, 3> sums = added_ ? added_->add_one() : std::array<vmm, 3>();
        return added_ && conf_.added->reduces ? sums : reduced_.sum_one();
    }

    void store_sums(const std::array<vmm, 3> &sums) {
        static constexpr size_t FIELDS[] = {offsetof(forward_row_numbers, p), offsetof(forward_row_numbers, s),
                                            offsetof(forward_row_numbers, q)};
        for (size_t i = 0; i < sums.size(); ++i) vmovss(ptr[numbers_ + FIELDS[i]], xmm_of(sums[i]));
        mov(byte[numbers_ + offsetof(forward_row_numbers, are_found)], 0);
    }

    void load_numbers() {
        for (size_t i = 0; i < results_.size(); ++i) vmovss(xmm_of(results_[i]), ptr[numbers_ + RESULTS[i]]);
    }

    // Registers for the scalar steps, apart from those of the sums and the results.
    struct scalars {
        xmm inverse, m2, mean, hi, lo, rstd, work;
    };

    scalars scalars_beside(const std::array<vmm, 3> &sums) const {
        register_set free(kind);
        for (const auto &taken : {results_, sums})
            for (const vmm &v : taken)
                if (std::ranges::count(free.free_vectors(), v.getIdx()) != 0) free.take_vector(v.getIdx());
        const auto take = [&] { return xmm_of(free.take_vector()); };
        return {take(), take(), take(), take(), take(), take(), take()};
    }

    // Goes to `unfinished` if the first reduction is not enough.
    void find_numbers(const std::array<vmm, 3> &sums, Xbyak::Label &unfinished) {
        const scalars x = scalars_beside(sums);
        const auto &[p, s, q] = sums;
        point_to_numbers();
        vucomiss(xmm_of(q), number(layer_norm::SMALLEST_SQUARES));
        jb(unfinished, NEAR); // also NaN
        vucomiss(xmm_of(q), number(layer_norm::LARGEST_SQUARES));
        ja(unfinished, NEAR);
        vmovsd(x.inverse, JITNORM_ARGUMENT(inverse_count));
        vcvtss2sd(x.m2, xmm_of(q), xmm_of(q));
        if (conf_.reduced.centered) find_mean(x, xmm_of(p), xmm_of(s), unfinished);
        find_deviation(x);
        store_numbers(x);
    }

    // Also subtracts from m2 what it has too much because the pivot is not the mean.
    void find_mean(const scalars &x, const xmm &p, const xmm &s, Xbyak::Label &unfinished) {
        const xmm &sum = x.lo, &shift = x.work, &excess = x.rstd, &limit = x.hi;
        vcvtss2sd(sum, s, s);
        vcvtss2sd(x.mean, p, p);
        vmulsd(shift, sum, x.inverse);
        vmulsd(excess, sum, shift);
        vsubsd(x.m2, x.m2, excess);
        vmulsd(limit, x.m2, wide_number(layer_norm::PIVOT_LIMIT));
        vucomisd(excess, limit);
        ja(unfinished, NEAR); // the pivot is poor
        vaddsd(x.mean, x.mean, shift);
        vcvtsd2ss(x.hi, x.mean, x.mean);
        vcvtss2sd(x.lo, x.hi, x.hi);
        vsubsd(x.lo, x.mean, x.lo);
    }

    void find_deviation(const scalars &x) {
        const xmm &variance = x.m2, &root = x.work;
        vmulsd(variance, x.m2, x.inverse);
        vaddsd(root, variance, JITNORM_ARGUMENT(epsilon));
        vsqrtsd(root, root, root);
        vmovsd(x.rstd, wide_number(1));
        vdivsd(x.rstd, x.rstd, root);
        vcvtsd2ss(x.rstd, x.rstd, x.rstd);
    }

    // The squares are in range, so rstd is finite and an lo of zero makes a bias of zero, as make_normalizer() does.
    void store_numbers(const scalars &x) {
        const xmm hi = xmm_of(results_[0]), rstd = xmm_of(results_[1]), bias = xmm_of(results_[2]);
        vmovaps(rstd, x.rstd);
        vxorps(bias, bias, bias);
        if (conf_.reduced.centered) {
            vmovaps(hi, x.hi);
            vcvtss2sd(x.work, x.rstd, x.rstd);
            vmulsd(x.lo, x.lo, x.work);
            vcvtsd2ss(x.lo, x.lo, x.lo);
            vsubss(bias, bias, x.lo);
        } else {
            vxorps(hi, hi, hi);
        }
        vmovss(ptr[numbers_ + RESULTS[0]], hi);
        vmovss(ptr[numbers_ + RESULTS[1]], rstd);
        vmovsd(ptr[numbers_ + offsetof(forward_row_numbers, variance)], x.m2);
        mov(byte[numbers_ + offsetof(forward_row_numbers, are_found)], 1);
    }

    Xbyak::Address wide_number(double value) {
        return qword[constant(std::bit_cast<uint64_t>(value), int(sizeof(double)))];
    }

    static constexpr size_t RESULTS[] = {offsetof(forward_row_numbers, hi), offsetof(forward_row_numbers, rstd),
                                         offsetof(forward_row_numbers, bias)};

    const forward_row_conf conf_;
    const loop_registers loops_{*this};
    const reg &numbers_ = loops_.io;
    reduction_pass reduced_{*this, {loops_, rdi + offsetof(arguments, reduced)}, conf_.reduced};
    normalize_pass written_{*this, {loops_, rdi + offsetof(arguments, written), reduced_.frame_bytes()}, conf_.written};
    std::optional<addition_pass> added_;
    const std::array<vmm, 3> results_ = written_.numbers_of_one();
};

} // namespace

code_ptr code_of(const forward_row_conf &conf) { return make_kernel<forward_row_generator>(conf); }

} // namespace jitnorm::impl::jit
