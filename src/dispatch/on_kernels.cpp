// SPDX-License-Identifier: Apache-2.0
#include "on_kernels.hpp"

#include "../backward/backward_direction.hpp"
#include "../forward/forward_direction.hpp"
#include "../jit/isa.hpp"
#include "../layout/no_elements.hpp"

namespace jitnorm::impl::layer_norm {

namespace {

// Calls body.operator()<Direction>().
template <typename Body>
decltype(auto) visit_direction(const problem &p, Body &&body) {
    if (p.is_forward()) return body.template operator()<forward_direction>();
    return body.template operator()<backward_direction>();
}

// Calls body(T()) with the compute type.
template <typename Body>
decltype(auto) visit_compute_type(const problem &p, Body &&body) {
    if (p.computes_in_double()) return body(double());
    return body(float());
}

// For problems with run-time sizes. The kernels do not depend on sizes and are made at creation. Each execution makes
// on its stack an executor for its sizes, which allocates nothing unless there are post-ops.
template <typename Direction, typename T>
class runtime_executor final : public executor {
public:
    using kernels = std::shared_ptr<const typename Direction::template kernels<T>>;
    explicit runtime_executor(kernels made) : kernels_(std::move(made)) {}

    jitnorm_status_t execute(const arguments &args) const override {
        const problem &sizes = *args.sizes;
        if (!sizes.has_elements()) return execute_without_elements(sizes, args);
        const auto run = [&]<typename Executor>(const problem &p) {
            return Executor(p, *args.how, kernels_).execute(args);
        };
        return Direction::template visit_executor<T>(sizes, *args.how, run);
    }

private:
    kernels kernels_;
};

template <typename Direction, typename T>
std::shared_ptr<const executor> make(const problem &p, const plan &how, jit::isa vectors) {
    const auto kernels = std::make_shared<const typename Direction::template kernels<T>>(p, vectors);
    if (p.has_runtime_sizes()) return std::make_shared<const runtime_executor<Direction, T>>(kernels);
    const auto made = [&]<typename Executor>(const problem &ordered) -> std::shared_ptr<const executor> {
        return std::make_shared<const Executor>(ordered, how, kernels);
    };
    return Direction::template visit_executor<T>(p, how, made);
}

template <jit::isa I>
std::string refusal(const problem &) {
    return jit::is_allowed(I) ? "" : "the processor or the cap on instruction sets does not allow it";
}

plan make_plan(const problem &p, const machine &m) {
    if (!p.has_runtime_sizes() && !p.has_elements()) return {};
    return visit_direction(p, [&]<typename Direction>() { return Direction::make_plan(p, m); });
}

template <jit::isa I>
std::shared_ptr<const executor> create(const problem &p, const plan &how) {
    if (!p.has_elements()) return create_without_elements(p);
    return visit_direction(p, [&]<typename Direction>() {
        return visit_compute_type(p, [&]<typename T>(T) { return make<Direction, T>(p, how, I); });
    });
}

template <jit::isa I>
constexpr implementation ON = {jit::implementation_name(I), refusal<I>, make_plan, create<I>, true};

} // namespace

constinit const std::array<implementation, 2> on_kernels = {ON<jit::BEST_FIRST[0]>, ON<jit::BEST_FIRST[1]>};

} // namespace jitnorm::impl::layer_norm
