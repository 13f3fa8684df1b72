// SPDX-License-Identifier: Apache-2.0
// plain_loop: a normalization in two passes over each row, compiled into this program, as a peer. It has neither checks
// nor exactness: what a plain function takes that somebody writes for dense rows of f32 or bf16.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Threads share the rows.
peer_library plain_loop(int threads);

} // namespace benchdnn_lite
