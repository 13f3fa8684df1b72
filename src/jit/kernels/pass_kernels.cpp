// SPDX-License-Identifier: Apache-2.0
// The kernels of one pass, and those with two passes in turns, which reduce rows beside others that they write.
#include "addition_pass.hpp"
#include "backward_data_pass.hpp"
#include "backward_sums_pass.hpp"
#include "normalize_pass.hpp"
#include "reduction_pass.hpp"

namespace jitnorm::impl::jit {

namespace {

constexpr int BEGIN_OF_PIECE = 64; // bytes of the frame; the passes' parts after them stay aligned

template <typename Conf, typename Arguments, typename Reduced, typename Written>
class loop_generator : public kernel_generator {
    using arguments = Arguments;
    static constexpr bool IS_FORWARD = std::is_same_v<Conf, forward_loop_conf>;

public:
    explicit loop_generator(const Conf &conf)
        : kernel_generator(kind_of(conf.written), MAX_KERNEL_BYTES + room_for(conf.written)), conf_(conf) {
        int frame = BEGIN_OF_PIECE + reduced_.frame_bytes() + written_.frame_bytes();
        if constexpr (IS_FORWARD)
            if (conf.added) {
                added_.emplace(*this, pass_place{loops_, rdi + offsetof(arguments, added), frame, true}, *conf.added);
                frame += added_->frame_bytes();
            }
        open_frame(frame);
        rows_.walk({JITNORM_ARGUMENT(reduced.rows), [this] { reduce(); }},
                   {JITNORM_ARGUMENT(written.rows), [this] { written_.write_piece(rows_); }});
        close_frame();
    }

    std::string name() const {
        if constexpr (IS_FORWARD) return written_.name(conf_.reduced.centered ? "forward_loop" : "forward_loop_rms");
        return written_.name("backward_loop");
    }

private:
    // The sums with a residual are reduced as soon as they are there, in the caches.
    void reduce() {
        if constexpr (IS_FORWARD) {
            if (added_) added_->add_piece(rows_);
            if (!added_ || !conf_.added->reduces) reduced_.sum_piece(rows_, !added_);
        } else {
            reduced_.sum_piece(rows_);
        }
    }

    const Conf conf_;
    const loop_registers loops_{*this};
    const paired_rows rows_{*this, loops_.index, loops_.count, qword[rsp]};
    Reduced reduced_{*this, {loops_, rdi + offsetof(arguments, reduced), BEGIN_OF_PIECE, true}, conf_.reduced};
    Written written_{*this,
                     {loops_, rdi + offsetof(arguments, written), BEGIN_OF_PIECE + reduced_.frame_bytes(), true},
                     conf_.written};
    std::optional<addition_pass> added_; // of forward
};

} // namespace

code_ptr code_of(const addition_conf &conf) {
    return make_kernel<single_pass_generator<addition_pass, &addition_pass::add_all>>(conf);
}
code_ptr code_of(const reduction_conf &conf) {
    return make_kernel<single_pass_generator<reduction_pass, &reduction_pass::sum_all>>(conf);
}
code_ptr code_of(const normalize_conf &conf) {
    return make_kernel<single_pass_generator<normalize_pass, &normalize_pass::write_all>>(conf);
}
code_ptr code_of(const backward_sums_conf &conf) {
    return make_kernel<single_pass_generator<backward_sums_pass, &backward_sums_pass::sum_all>>(conf);
}
code_ptr code_of(const backward_data_conf &conf) {
    return make_kernel<single_pass_generator<backward_data_pass, &backward_data_pass::write_all>>(conf);
}
code_ptr code_of(const forward_loop_conf &conf) {
    using arguments = forward_loop_arguments<float>;
    return make_kernel<loop_generator<forward_loop_conf, arguments, reduction_pass, normalize_pass>>(conf);
}
code_ptr code_of(const backward_loop_conf &conf) {
    using arguments = backward_loop_arguments<float>;
    return make_kernel<loop_generator<backward_loop_conf, arguments, backward_sums_pass, backward_data_pass>>(conf);
}

} // namespace jitnorm::impl::jit
