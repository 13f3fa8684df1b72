// SPDX-License-Identifier: Apache-2.0
#include "gate_executor.hpp"

#include "../norm/gate_gradients.hpp"

namespace jitnorm::impl::layer_norm {

gate_executor::gate_executor(std::shared_ptr<const executor> first, std::shared_ptr<const executor> second)
    : first_(std::move(first)), second_(std::move(second)) {}

jitnorm_status_t gate_executor::execute(const arguments &args) const {
    const jitnorm_status_t code = first_->execute(behind_gate(args));
    return code == jitnorm_success ? second_->execute(gate_alone(args)) : code;
}

} // namespace jitnorm::impl::layer_norm
