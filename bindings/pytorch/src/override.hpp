// SPDX-License-Identifier: Apache-2.0
// override: PyTorch's own aten::native_layer_norm and its backward on CPUs, done by jitnorm as long as it is wanted.
#pragma once

namespace jitnorm_torch {

// Of all threads and of what follows; asking twice for the same changes nothing. Returns whether it was wanted before.
bool override_native(bool wanted);

} // namespace jitnorm_torch
