// SPDX-License-Identifier: Apache-2.0
// onednn: oneDNN as a peer, of version 2 or 3: the version of its headers decides.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

peer_library onednn();

} // namespace benchdnn_lite
