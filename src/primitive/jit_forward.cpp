// SPDX-License-Identifier: Apache-2.0
#include "jit_forward.hpp"

#include "../jit/isa.hpp"
#include "forward_executor.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

bool has_dense_rows(const memory_desc &md) {
    return md.inner_nblks == 0 && (md.strides[md.ndims - 1] == 1 || md.dims[md.ndims - 1] == 1);
}

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    if (!p.is_forward()) return "only forward";
    if (p.src.data_type == jitnorm_f64 || p.dst.data_type == jitnorm_f64) return "no f64 data";
    if (!has_dense_rows(p.src) || !has_dense_rows(p.dst)) return "only rows whose elements are adjacent";
    if (p.uses_variance() && p.statistics.inner_nblks != 0) return "only strided statistics";
    if (!p.attr.post_ops.entries.empty()) return "no post-ops";
    return {};
}

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p) {
    return std::make_shared<const forward_executor>(p, I);
}

size_t no_scratchpad(const problem & /* p */) { return 0; }

} // namespace

const implementation jit_avx512_forward{"jit:avx512", refusal<jit::isa::avx512>, create<jit::isa::avx512>,
                                        no_scratchpad};
const implementation jit_avx2_forward{"jit:avx2", refusal<jit::isa::avx2>, create<jit::isa::avx2>, no_scratchpad};

} // namespace jitnorm::impl::layer_norm
