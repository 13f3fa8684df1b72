// SPDX-License-Identifier: Apache-2.0
// The kernels with several passes, which reduce rows beside others that they write.
#include "backward_passes.hpp"
#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

constexpr int BEGIN_OF_PIECE = 64; // bytes of the frame; the passes' parts after them stay aligned

class forward_loop_generator : public kernel_generator {
    using arguments = forward_loop_arguments<float>;

public:
    explicit forward_loop_generator(const forward_loop_conf &conf)
        : kernel_generator(kind_of(conf.written), MAX_KERNEL_BYTES * (2 + conf.written.post_ops.size())), conf_(conf) {
        int frame = BEGIN_OF_PIECE + reduced_.frame_bytes() + written_.frame_bytes();
        if (conf.added) {
            added_.emplace(*this, pass_place{loops_, rdi + offsetof(arguments, added), frame, true}, *conf.added);
            frame += added_->frame_bytes();
        }
        open_frame(frame);
        rows_.walk({JITNORM_ARGUMENT(reduced.rows), [this] { reduce(); }},
                   {JITNORM_ARGUMENT(written.rows), [this] { written_.write_piece(rows_); }});
        close_frame();
    }
    std::string name() const { return written_.name(conf_.reduced.centered ? "forward_loop" : "forward_loop_rms"); }

private:
    // The sums are reduced as soon as they are there, in the caches.
    void reduce() {
        if (added_) added_->add_piece(rows_);
        if (!added_ || !conf_.added->reduces) reduced_.sum_piece(rows_, !added_);
    }

    const forward_loop_conf conf_;
    const loop_registers loops_{*this};
    const paired_rows rows_{*this, loops_.index, loops_.count, qword[rsp]};
    reduction_pass reduced_{*this, {loops_, rdi + offsetof(arguments, reduced), BEGIN_OF_PIECE, true}, conf_.reduced};
    normalize_pass written_{*this,
                            {loops_, rdi + offsetof(arguments, written), BEGIN_OF_PIECE + reduced_.frame_bytes(), true},
                            conf_.written};
    std::optional<addition_pass> added_;
};

class backward_loop_generator : public kernel_generator {
    using arguments = backward_loop_arguments<float>;

public:
    explicit backward_loop_generator(const backward_loop_conf &conf)
        : kernel_generator(kind_of(conf.written), 2 * MAX_KERNEL_BYTES), conf_(conf) {
        open_frame(BEGIN_OF_PIECE + reduced_.frame_bytes() + written_.frame_bytes());
        rows_.walk({JITNORM_ARGUMENT(reduced.rows), [this] { reduced_.sum_piece(rows_); }},
                   {JITNORM_ARGUMENT(written.rows), [this] { written_.write_piece(rows_); }});
        close_frame();
    }
    std::string name() const { return written_.name("backward_loop"); }

private:
    const backward_loop_conf conf_;
    const loop_registers loops_{*this};
    const paired_rows rows_{*this, loops_.index, loops_.count, qword[rsp]};
    backward_sums_pass reduced_{
        *this, {loops_, rdi + offsetof(arguments, reduced), BEGIN_OF_PIECE, true}, conf_.reduced};
    backward_data_pass written_{
        *this,
        {loops_, rdi + offsetof(arguments, written), BEGIN_OF_PIECE + reduced_.frame_bytes(), true},
        conf_.written};
};

} // namespace

code_ptr code_of(const forward_loop_conf &conf) { return make_kernel<forward_loop_generator>(conf); }
code_ptr code_of(const backward_loop_conf &conf) { return make_kernel<backward_loop_generator>(conf); }

} // namespace jitnorm::impl::jit
