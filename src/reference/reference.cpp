// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include "../norm/row_groups.hpp"
#include "no_elements.hpp"

namespace jitnorm::impl::layer_norm::reference {

namespace {

// Each execution makes an executor for its sizes and runs it. This allocates.
class runtime_executor final : public executor {
public:
    jitnorm_status_t execute(const arguments &args) const override {
        return execute_with_sizes(*create(*args.sizes), args);
    }
};

} // namespace

std::shared_ptr<const executor> create(const problem &p) {
    if (!p.has_elements()) return create_without_elements(p);
    if (p.has_runtime_sizes()) return std::make_shared<runtime_executor>();
    return p.is_forward() ? create_forward(p) : create_backward(p);
}

} // namespace jitnorm::impl::layer_norm::reference

namespace jitnorm::impl::layer_norm {

namespace {

std::string refusal(const problem &) { return {}; }
plan make_plan(const problem &, const machine &) { return {}; } // the reference does not look at its plan
std::shared_ptr<const executor> create(const problem &p, const plan &) { return reference::create(p); }

} // namespace

constinit const implementation reference_entry = {"ref:any", refusal, make_plan, create};

} // namespace jitnorm::impl::layer_norm
