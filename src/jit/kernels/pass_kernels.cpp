// SPDX-License-Identifier: Apache-2.0
// The kernels of one pass.
#include "addition_pass.hpp"
#include "backward_data_pass.hpp"
#include "backward_sums_pass.hpp"
#include "normalize_pass.hpp"
#include "reduction_pass.hpp"

namespace jitnorm::impl::jit {

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

} // namespace jitnorm::impl::jit
