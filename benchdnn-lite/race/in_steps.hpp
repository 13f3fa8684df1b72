// SPDX-License-Identifier: Apache-2.0
// in_steps: as a peer, what a model does where nothing is fused: a pass that adds the residual and stores the sum, this
// library's normalization of what was stored, and a pass that finds the scales and quantizes.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Takes what adds a residual or finds a scale for each row, in f32 or bf16 and dense rows, to s8 where it finds scales.
peer_library in_steps();

} // namespace benchdnn_lite
