// SPDX-License-Identifier: Apache-2.0
// run_race: the whole program. Returns the exit status. The peer is `other` unless --peer, --plan or
// --plain chooses another.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

int run_race(int argc, char **argv, const peer_library &other);

} // namespace benchdnn_lite
