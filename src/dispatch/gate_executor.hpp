// SPDX-License-Identifier: Apache-2.0
// gate_executor: executes backward with a gate as its two steps (src/norm/gate_gradients.hpp).
#pragma once

#include <memory>

#include "../norm/executor.hpp"

namespace jitnorm::impl::layer_norm {

class gate_executor final : public executor {
public:
    // The executors of both steps. Both use the scratchpad, one after the other.
    gate_executor(std::shared_ptr<const executor> first, std::shared_ptr<const executor> second);

    jitnorm_status_t execute(const arguments &args) const override;

private:
    std::shared_ptr<const executor> first_, second_;
};

} // namespace jitnorm::impl::layer_norm
