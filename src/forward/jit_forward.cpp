// SPDX-License-Identifier: Apache-2.0
#include "jit_forward.hpp"

#include "../jit/isa.hpp"
#include "../layout/no_elements.hpp"
#include "forward_executor.hpp"
#include "packed_forward_executor.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// What forward_executor takes; the rest is packed.
template <typename T>
bool has_dense_rows(const problem &p) {
    return impl::has_dense_rows(p.src, p.row_ndims()) && impl::has_dense_rows(p.dst, p.row_ndims()) &&
           (!p.uses_statistics() || p.statistics.inner_nblks == 0) && !post_op_operands<T>::needs_tiles(p);
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
    if (p.computes_in_double()) return body(double());
    return body(float());
}

// Kernels know no sizes: when an execution brings them, what depends on them is set up on its stack. But for post-ops
// nothing is allocated.
template <typename T>
class runtime_executor final : public executor {
public:
    runtime_executor(const problem &p, std::shared_ptr<const forward_kernels<T>> kernels)
        : kernels_(std::move(kernels)),
          shares_rows_(p.attr.scratchpad_mode == jitnorm_scratchpad_mode_library || scratchpad_bytes(p) == 0) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const problem &p = *args.sizes;
        if (!p.has_elements()) return execute_without_elements(p, args);
        if (!has_dense_rows<T>(p)) return packed_forward_executor<T>(p, kernels_).execute(args);
        return forward_executor<T>(p, kernels_, shares_rows_).execute(args);
    }

    static size_t scratchpad_bytes(const problem &p) {
        if (has_dense_rows<T>(p)) return 0;
        const dim_t operands = post_op_operands<T>::tiles_bytes(p, tuning::MAX_BATCH_ROWS, CHUNK);
        return size_t(tuning::MAX_PARTS * (tuning::PACKED_TILE_BYTES + operands));
    }

private:
    std::shared_ptr<const forward_kernels<T>> kernels_;
    bool shares_rows_; // a user's scratchpad has no room for the moments of chunks, whose number nobody knew
};

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p) {
    if (!p.has_elements()) return create_without_elements(p);
    return visit_compute_type(p, [&]<typename T>(T) -> std::shared_ptr<const executor> {
        const auto kernels = std::make_shared<const forward_kernels<T>>(p, I);
        if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<T>>(p, kernels);
        if (has_dense_rows<T>(p)) return std::make_shared<const forward_executor<T>>(p, kernels);
        return std::make_shared<const packed_forward_executor<T>>(p, kernels);
    });
}

size_t scratchpad_bytes(const problem &p) {
    if (!p.has_elements()) return 0;
    return visit_compute_type(p, [&]<typename T>(T) {
        if (p.has_runtime_sizes()) return runtime_executor<T>::scratchpad_bytes(p);
        return has_dense_rows<T>(p) ? forward_executor<T>::scratchpad_bytes(p)
                                    : packed_forward_executor<T>::scratchpad_bytes(p);
    });
}

} // namespace

const implementation jit_avx512_forward{"jit:avx512", refusal<jit::isa::avx512>, create<jit::isa::avx512>,
                                        scratchpad_bytes, true};
const implementation jit_avx2_forward{"jit:avx2", refusal<jit::isa::avx2>, create<jit::isa::avx2>, scratchpad_bytes,
                                      true};

} // namespace jitnorm::impl::layer_norm
