// SPDX-License-Identifier: Apache-2.0
// override: replaces PyTorch's own aten::native_layer_norm and its backward on CPUs by jitnorm.
#pragma once

namespace jitnorm_torch {

// Switches the override on or off for all threads, from now on. Returns whether it was on before.
bool override_native(bool wanted);

} // namespace jitnorm_torch
