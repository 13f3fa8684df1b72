// SPDX-License-Identifier: Apache-2.0
#include "jit_backward.hpp"

#include "../jit/isa.hpp"
#include "../layout/no_elements.hpp"
#include "../layout/row_order.hpp"
#include "backward_executor.hpp"
#include "backward_plan.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    if (p.is_forward()) return "only backward";
    return {};
}

plan make_plan(const problem &p, const machine &m) {
    // The scratchpad grows with the sizes: there is none for all of them.
    return p.has_runtime_sizes() || !p.has_elements() ? plan{} : backward_plan(p, m);
}

// Calls body.operator()<T>() with the compute type.
template <typename Body>
decltype(auto) visit_compute_type(const problem &p, Body &&body) {
    if (p.computes_in_double()) return body(double());
    return body(float());
}

// Calls body.operator()<Executor>() with the executor's class and the problem. Its rows are numbered as they are best
// visited, unless sums over them have their order.
template <typename T, typename Body>
decltype(auto) visit_executor(const problem &p, const plan &how, Body &&body) {
    if (how.rows == row_access::in_place) return body.template operator()<backward_executor<T, rows_in_place>>(p);
    if (how.rows == row_access::lanes) return body.template operator()<backward_executor<T, rows_in_lanes>>(p);
    const bool any_order = !p.wants_diff_scale() && !p.wants_diff_shift();
    return body.template operator()<backward_executor<T, rows_in_tiles>>(any_order ? in_order_of_memory(p) : p);
}

// Kernels know no sizes: when an execution brings them, what depends on them is set up on its stack.
template <typename T>
class runtime_executor final : public executor {
public:
    explicit runtime_executor(std::shared_ptr<const backward_kernels<T>> kernels) : kernels_(std::move(kernels)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const problem &sizes = *args.sizes;
        if (!sizes.has_elements()) return execute_without_elements(sizes, args);
        return visit_executor<T>(sizes, *args.how, [&]<typename Executor>(const problem &p) {
            return Executor(p, *args.how, kernels_).execute(args);
        });
    }

private:
    std::shared_ptr<const backward_kernels<T>> kernels_;
};

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p, const plan &how) {
    if (!p.has_elements()) return create_without_elements(p);
    return visit_compute_type(p, [&]<typename T>(T) -> std::shared_ptr<const executor> {
        const auto kernels = std::make_shared<const backward_kernels<T>>(p, I);
        if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<T>>(kernels);
        return visit_executor<T>(p, how,
                                 [&]<typename Executor>(const problem &ordered) -> std::shared_ptr<const executor> {
                                     return std::make_shared<const Executor>(ordered, how, kernels);
                                 });
    });
}

} // namespace

const implementation jit_avx512_backward{"jit:avx512", refusal<jit::isa::avx512>, make_plan, create<jit::isa::avx512>,
                                         true};
const implementation jit_avx2_backward{"jit:avx2", refusal<jit::isa::avx2>, make_plan, create<jit::isa::avx2>, true};

} // namespace jitnorm::impl::layer_norm
