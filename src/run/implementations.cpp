// SPDX-License-Identifier: Apache-2.0
#include "implementations.hpp"

#include "../jit/isa.hpp"
#include "../norm/row_groups.hpp"
#include "../reference/reference.hpp"
#include "backward.hpp"
#include "forward.hpp"
#include "make_plan.hpp"
#include "single_batch.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// Calls body(std::type_identity<executor>) with the class of the executor.
template <typename Direction, typename Body>
decltype(auto) with_executor(const problem &p, const plan &planned, Body &&body) {
    if constexpr (std::is_same_v<Direction, forward<float>>)
        if (takes_single_batch(p, planned)) return body(std::type_identity<single_batch>());
    return body(std::type_identity<driver<Direction>>());
}

// For problems with run-time sizes. The kernels do not depend on sizes and are made at creation. Each execution makes
// on its stack an executor for its sizes, which allocates nothing unless there are post-ops.
template <typename Direction>
class runtime_executor final : public executor {
public:
    using kernels = std::shared_ptr<const typename Direction::kernels>;
    explicit runtime_executor(kernels made) : kernels_(std::move(made)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const problem &sizes = *args.sizes;
        if (!sizes.has_elements()) return execute_without_elements(sizes, args);
        return with_executor<Direction>(sizes, *args.planned, [&]<typename Executor>(std::type_identity<Executor>) {
            return execute_each_group(Executor(sizes, *args.planned, kernels_), args);
        });
    }

private:
    kernels kernels_;
};

template <typename Direction>
std::shared_ptr<const executor> create_executor(const problem &p, const plan &planned, jit::isa vectors) {
    const auto kernels = std::make_shared<const typename Direction::kernels>(
        p, p.has_runtime_sizes() ? plan::anything() : planned, jit::vector_kind{vectors, p.compute_type()});
    if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<Direction>>(kernels);
    return with_executor<Direction>(
        p, planned, [&]<typename Executor>(std::type_identity<Executor>) -> std::shared_ptr<const executor> {
            return std::make_shared<const Executor>(p, planned, kernels);
        });
}

template <jit::isa I>
std::string refusal(const problem &p) {
    if (!jit::is_allowed(I)) return "the processor or the cap on instruction sets does not allow it";
    return p.computes_in_double() && p.has_dynamic_scales() ? "kernels find dynamic scales of rows of float only" : "";
}

bool takes_groups(const problem &p) { return groups_are_rows(p) && have_dense_rows(row_tensors_of(p)); }

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p, const plan &planned) {
    if (!p.has_elements()) return create_without_elements(p);
    if (p.is_forward())
        return p.computes_in_double() ? create_executor<forward<double>>(p, planned, I)
                                      : create_executor<forward<float>>(p, planned, I);
    return p.computes_in_double() ? create_executor<backward<double>>(p, planned, I)
                                  : create_executor<backward<float>>(p, planned, I);
}

template <jit::isa I>
constexpr implementation ON = {jit::implementation_name(I), refusal<I>, make_plan, create<I>, takes_groups};

} // namespace

constinit const std::array<implementation, 2> on_kernels = {ON<jit::BEST_FIRST[0]>, ON<jit::BEST_FIRST[1]>};

} // namespace jitnorm::impl::layer_norm
