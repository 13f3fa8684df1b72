// SPDX-License-Identifier: Apache-2.0
#include "addition_pass.hpp"
#include "backward_data_pass.hpp"
#include "backward_sums_pass.hpp"
#include "normalize_pass.hpp"
#include "reduction_pass.hpp"

namespace jitnorm::impl::jit {

namespace {

template <typename Pass>
class single_pass : public kernel_generator {
public:
    template <typename Conf>
    explicit single_pass(const Conf &conf)
        : kernel_generator(conf.kind, room_for(conf)), pass_(*this, {loops_, rdi}, conf) {
        open_frame();
        pass_.do_all();
        close_frame();
    }
    std::string name() const { return pass_.name(); }

private:
    const loop_registers loops_{*this};
    Pass pass_;
};

} // namespace

code_ptr code_of(const addition_conf &conf) { return make_kernel<single_pass<addition_pass>>(conf); }
code_ptr code_of(const reduction_conf &conf) { return make_kernel<single_pass<reduction_pass>>(conf); }
code_ptr code_of(const normalize_conf &conf) { return make_kernel<single_pass<normalize_pass>>(conf); }
code_ptr code_of(const backward_sums_conf &conf) { return make_kernel<single_pass<backward_sums_pass>>(conf); }
code_ptr code_of(const backward_data_conf &conf) { return make_kernel<single_pass<backward_data_pass>>(conf); }

} // namespace jitnorm::impl::jit
