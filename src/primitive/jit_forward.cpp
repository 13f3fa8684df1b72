// SPDX-License-Identifier: Apache-2.0
#include "jit_forward.hpp"

#include "../jit/isa.hpp"
#include "forward_executor.hpp"
#include "packed_forward_executor.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool has_dense_rows(const memory_desc &md) {
    return md.inner_nblks == 0 && (md.strides[md.ndims - 1] == 1 || md.dims[md.ndims - 1] == 1);
}

// What forward_executor takes; the rest is packed.
template <typename T>
bool has_dense_rows(const problem &p) {
    return has_dense_rows(p.src) && has_dense_rows(p.dst) && (!p.uses_variance() || p.statistics.inner_nblks == 0) &&
           !post_op_operands<T>::needs_tiles(p);
}

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    if (!p.is_forward()) return "only forward";
    return {};
}

// Calls body(T()) with the compute type.
template <typename Body>
decltype(auto) visit_compute_type(const problem &p, Body &&body) {
    return p.computes_in_double() ? body(double()) : body(float());
}

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p) {
    return visit_compute_type(p, [&]<typename T>(T) -> std::shared_ptr<const executor> {
        const auto kernels = std::make_shared<const forward_kernels<T>>(p, I);
        if (has_dense_rows<T>(p)) return std::make_shared<const forward_executor<T>>(p, kernels);
        return std::make_shared<const packed_forward_executor<T>>(p, kernels);
    });
}

size_t scratchpad_bytes(const problem &p) {
    return visit_compute_type(p, [&]<typename T>(T) {
        return has_dense_rows<T>(p) ? forward_executor<T>::scratchpad_bytes(p)
                                    : packed_forward_executor<T>::scratchpad_bytes(p);
    });
}

} // namespace

const implementation jit_avx512_forward{"jit:avx512", refusal<jit::isa::avx512>, create<jit::isa::avx512>,
                                        scratchpad_bytes};
const implementation jit_avx2_forward{"jit:avx2", refusal<jit::isa::avx2>, create<jit::isa::avx2>, scratchpad_bytes};

} // namespace jitnorm::impl::layer_norm
