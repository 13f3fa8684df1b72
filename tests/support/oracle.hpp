// SPDX-License-Identifier: Apache-2.0
// oracle: benchdnn-lite's, which shares no code with src/. Only it checks accuracy; the reference checks the bits
// (equality.hpp).
#pragma once

#include "correctness/solve.hpp"

namespace jitnorm::tests {

using benchdnn_lite::answers, benchdnn_lite::expectations, benchdnn_lite::oracle_problem;

} // namespace jitnorm::tests
