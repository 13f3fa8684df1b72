// SPDX-License-Identifier: Apache-2.0
#include "jit_forward.hpp"

#include "../jit/isa.hpp"
#include "../layout/no_elements.hpp"
#include "../layout/row_order.hpp"
#include "../layout/rows_in_place.hpp"
#include "../layout/rows_in_tiles.hpp"
#include "forward_executor.hpp"
#include "forward_plan.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    if (!p.is_forward()) return "only forward";
    return {};
}

plan make_plan(const problem &p, const machine &m) {
    if (p.has_runtime_sizes()) return forward_plan_for_any_size(p);
    return p.has_elements() ? forward_plan(p, m) : plan{};
}

// Calls body(T()) with the compute type.
template <typename Body>
decltype(auto) visit_compute_type(const problem &p, Body &&body) {
    if (p.computes_in_double()) return body(double());
    return body(float());
}

// Calls body.operator()<Executor>() with the executor's class and the problem, its rows numbered as they are visited.
template <typename T, typename Body>
decltype(auto) visit_executor(const problem &p, const plan &how, Body &&body) {
    if (how.rows == row_access::in_place) return body.template operator()<forward_executor<T, rows_in_place>>(p);
    return body.template operator()<forward_executor<T, rows_in_tiles>>(in_order_of_memory(p));
}

// Kernels know no sizes: when an execution brings them, what depends on them is set up on its stack. But for post-ops
// nothing is allocated.
template <typename T>
class runtime_executor final : public executor {
public:
    explicit runtime_executor(std::shared_ptr<const forward_kernels<T>> kernels) : kernels_(std::move(kernels)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const problem &sizes = *args.sizes;
        if (!sizes.has_elements()) return execute_without_elements(sizes, args);
        return visit_executor<T>(sizes, *args.how, [&]<typename Executor>(const problem &p) {
            return Executor(p, *args.how, kernels_).execute(args);
        });
    }

private:
    std::shared_ptr<const forward_kernels<T>> kernels_;
};

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p, const plan &how) {
    if (!p.has_elements()) return create_without_elements(p);
    return visit_compute_type(p, [&]<typename T>(T) -> std::shared_ptr<const executor> {
        const auto kernels = std::make_shared<const forward_kernels<T>>(p, I);
        if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<T>>(kernels);
        return visit_executor<T>(p, how,
                                 [&]<typename Executor>(const problem &ordered) -> std::shared_ptr<const executor> {
                                     return std::make_shared<const Executor>(ordered, how, kernels);
                                 });
    });
}

} // namespace

const implementation jit_avx512_forward{"jit:avx512", refusal<jit::isa::avx512>, make_plan, create<jit::isa::avx512>,
                                        true};
const implementation jit_avx2_forward{"jit:avx2", refusal<jit::isa::avx2>, make_plan, create<jit::isa::avx2>, true};

} // namespace jitnorm::impl::layer_norm
