// SPDX-License-Identifier: Apache-2.0
// oracle: benchdnn-lite's, which shares no code with src/. It is the only judge of accuracy; the bits are judged by the
// reference (equality.hpp).
#pragma once

#include "correctness/solve.hpp"

namespace jitnorm::tests {

using benchdnn_lite::answers, benchdnn_lite::expectations, benchdnn_lite::oracle_problem;

} // namespace jitnorm::tests
