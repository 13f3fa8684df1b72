// SPDX-License-Identifier: Apache-2.0
// onednn: oneDNN as a peer; versions 2 and 3, whichever the headers are of.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

peer_library onednn();

} // namespace benchdnn_lite
