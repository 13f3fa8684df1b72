// SPDX-License-Identifier: Apache-2.0
#include "jit_backward.hpp"

#include "../jit/isa.hpp"
#include "../layout/no_elements.hpp"
#include "backward_executor.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    if (p.is_forward()) return "only backward";
    return {};
}

// Calls body.operator()<T, Rows>() with the compute type and the way to the rows.
template <typename Body>
decltype(auto) visit_kind(const problem &p, Body &&body) {
    const auto with_rows = [&]<typename T>(T) {
        if (backward_dense_rows::takes(p)) return body.template operator()<T, backward_dense_rows>();
        return body.template operator()<T, backward_packed_rows>();
    };
    if (p.computes_in_double()) return with_rows(double());
    return with_rows(float());
}

// Kernels know no sizes: when an execution brings them, what depends on them is set up on its stack.
template <typename T>
class runtime_executor final : public executor {
public:
    explicit runtime_executor(std::shared_ptr<const backward_kernels<T>> kernels) : kernels_(std::move(kernels)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        if (!args.sizes->has_elements()) return execute_without_elements(*args.sizes, args);
        if (backward_dense_rows::takes(*args.sizes))
            return backward_executor<T, backward_dense_rows>(*args.sizes, kernels_).execute(args);
        return backward_executor<T, backward_packed_rows>(*args.sizes, kernels_).execute(args);
    }

private:
    std::shared_ptr<const backward_kernels<T>> kernels_;
};

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p) {
    if (!p.has_elements()) return create_without_elements(p);
    return visit_kind(p, [&]<typename T, typename Rows>() -> std::shared_ptr<const executor> {
        auto kernels = std::make_shared<const backward_kernels<T>>(p, I);
        if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<T>>(std::move(kernels));
        return std::make_shared<const backward_executor<T, Rows>>(p, std::move(kernels));
    });
}

// Grows with the sizes: there is none for all of them.
size_t scratchpad_bytes(const problem &p) {
    if (p.has_runtime_sizes() || !p.has_elements()) return 0;
    return visit_kind(p, [&]<typename T, typename Rows>() { return backward_executor<T, Rows>::scratchpad_bytes(p); });
}

} // namespace

const implementation jit_avx512_backward{"jit:avx512", refusal<jit::isa::avx512>, create<jit::isa::avx512>,
                                         scratchpad_bytes, true};
const implementation jit_avx2_backward{"jit:avx2", refusal<jit::isa::avx2>, create<jit::isa::avx2>, scratchpad_bytes,
                                       true};

} // namespace jitnorm::impl::layer_norm
