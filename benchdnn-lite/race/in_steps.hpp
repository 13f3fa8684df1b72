// SPDX-License-Identifier: Apache-2.0
// in_steps: a peer that does what a model does without fusion. A pass adds the residual and stores the sum, this
// library normalizes the stored sum, and a last pass finds the scales and quantizes.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Takes problems that add a residual or find a scale for each row, with dense rows of f32 or bf16. Where scales are
// found, dst is s8. The peer refuses other problems.
peer_library in_steps();

} // namespace benchdnn_lite
