// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite-race: races layer normalization against oneDNN, another build of this library or a plain loop
// (docs/performance.md).
#include "run_race.hpp"

int main(int argc, char **argv) { return benchdnn_lite::run_race(argc, argv, benchdnn_lite::onednn()); }
