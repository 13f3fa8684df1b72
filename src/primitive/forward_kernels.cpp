// SPDX-License-Identifier: Apache-2.0
#include "forward_kernels.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

jit::normalize_conf normalize_conf_of(const problem &p, jit::isa vectors, bool streaming) {
    return {vectors,        p.src.data_type,  p.dst.data_type,  p.scale_shift_type, p.uses_scale(),
            p.uses_shift(), p.attr.src_scale, p.attr.dst_scale, streaming};
}

jit::sweep_conf sweep_conf_of(const problem &p, jit::isa vectors, bool repeated) {
    return {vectors, p.src.data_type, !p.is_rms(), repeated};
}

} // namespace

template <typename T>
forward_kernels<T>::forward_kernels(const problem &p, jit::isa vectors)
    : sweep(sweep_conf_of(p, vectors, false)), repeat(sweep_conf_of(p, vectors, true)),
      normalize(normalize_conf_of(p, vectors, false)), bypassing(normalize_conf_of(p, vectors, true)) {}

template struct forward_kernels<float>;
template struct forward_kernels<double>;

} // namespace jitnorm::impl::layer_norm
