// SPDX-License-Identifier: Apache-2.0
// another_build: another build of this library as a peer, from its file: a revision before a change against the one
// after it.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Its problems have buffers of their own. Throws input_error where the file is no library or lacks a function that a
// race needs. The library stays in the process until its end.
peer_library another_build(const std::string &file);

} // namespace benchdnn_lite
