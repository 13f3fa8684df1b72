// SPDX-License-Identifier: Apache-2.0
// The kernels with two passes, which reduce rows beside others that they write.
#include "backward_passes.hpp"
#include "forward_passes.hpp"

namespace jitnorm::impl::jit {

namespace {

const char *name_of_loop(const forward_loop_conf &conf) {
    return conf.reduced.centered ? "forward_loop" : "forward_loop_rms";
}
const char *name_of_loop(const backward_loop_conf &) { return "backward_loop"; }

size_t most_bytes(const forward_loop_conf &conf) { return MAX_KERNEL_BYTES * (2 + conf.written.post_ops.size()); }
size_t most_bytes(const backward_loop_conf &) { return 2 * MAX_KERNEL_BYTES; }

template <typename Conf, typename Arguments, typename ReducingPass, typename WritingPass>
class loop_generator : public kernel_generator {
    using arguments = Arguments;
    static constexpr int BEGIN_OF_PIECE = 64; // bytes of the frame; the passes' parts stay aligned

public:
    explicit loop_generator(const Conf &conf) : kernel_generator(kind_of(conf.written), most_bytes(conf)), conf_(conf) {
        open_frame(BEGIN_OF_PIECE + reduced_.frame_bytes() + written_.frame_bytes());
        rows_.walk({JITNORM_ARGUMENT(reduced.rows), [this] { reduced_.sum_piece(rows_); }},
                   {JITNORM_ARGUMENT(written.rows), [this] { written_.write_piece(rows_); }});
        close_frame();
    }
    std::string name() const { return written_.name(name_of_loop(conf_)); }

private:
    const Conf conf_;
    const loop_registers loops_{*this};
    const paired_rows rows_{*this, loops_.index, loops_.count, qword[rsp]};
    ReducingPass reduced_{*this, {loops_, rdi + offsetof(arguments, reduced), BEGIN_OF_PIECE, true}, conf_.reduced};
    WritingPass written_{*this,
                         {loops_, rdi + offsetof(arguments, written), BEGIN_OF_PIECE + reduced_.frame_bytes(), true},
                         conf_.written};
};

using forward_loop_generator =
    loop_generator<forward_loop_conf, forward_loop_arguments<float>, reduction_pass, normalize_pass>;
using backward_loop_generator =
    loop_generator<backward_loop_conf, backward_loop_arguments<float>, backward_sums_pass, backward_data_pass>;

} // namespace

code_ptr code_of(const forward_loop_conf &conf) { return make_kernel<forward_loop_generator>(conf); }
code_ptr code_of(const backward_loop_conf &conf) { return make_kernel<backward_loop_generator>(conf); }

} // namespace jitnorm::impl::jit
