// SPDX-License-Identifier: Apache-2.0
// The kernel for one row of forward. There is nothing else to do while a step waits for the one before it, so the sums
// and the numbers that follow from them stay in registers.
#include <algorithm>

#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

class forward_row_generator : public kernel_generator {
    using arguments = forward_row_arguments;

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
        const reduced_row sums = reduce();
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

    reduced_row reduce() {
        const reduced_row sums = added_ ? added_->add_one() : reduced_row();
        return added_ && conf_.added->reduces ? sums : reduced_.sum_one();
    }

    void store_sums(const reduced_row &sums) {
        const auto store = [this](size_t field, const vmm &v) { vmovss(ptr[numbers_ + field], xmm_of(v)); };
        store(offsetof(forward_row_numbers, p), sums.p);
        store(offsetof(forward_row_numbers, s), sums.s);
        store(offsetof(forward_row_numbers, q), sums.q);
        mov(byte[numbers_ + offsetof(forward_row_numbers, are_found)], 0);
    }

    void load_numbers() {
        for (size_t i = 0; i < results_.size(); ++i) vmovss(xmm_of(results_[i]), ptr[numbers_ + RESULTS[i]]);
    }

    // Goes to `unfinished` if the first reduction is not enough.
    void find_numbers(reduced_row sums, Xbyak::Label &unfinished) {
        std::erase_if(sums.free, [&](int i) { return std::ranges::count(results_, vector(i)) != 0; });
        const scalar_steps steps(*this, conf_.reduced.centered, sums, JITNORM_ARGUMENT(inverse_count),
                                 JITNORM_ARGUMENT(epsilon));
        point_to_numbers();
        steps.emit(unfinished);
        vmovaps(xmm_of(results_[0]), steps.hi());
        vmovaps(xmm_of(results_[1]), steps.rstd());
        vmovaps(xmm_of(results_[2]), steps.bias());
        vmovss(ptr[numbers_ + RESULTS[0]], steps.hi());
        vmovss(ptr[numbers_ + RESULTS[1]], steps.rstd());
        vmovsd(ptr[numbers_ + offsetof(forward_row_numbers, variance)], steps.variance());
        mov(byte[numbers_ + offsetof(forward_row_numbers, are_found)], 1);
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
