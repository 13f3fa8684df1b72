// SPDX-License-Identifier: Apache-2.0
// another_build: another build of this library as a peer, from its file: a revision before a change against the one
// after it.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Its problems have buffers of their own. Throws input_error where the file is no library or lacks a function that a
// race needs. The library stays in the process until its end. `caches`: the sizes it makes its plans for, as in
// JITNORM_CACHES; empty: those that ours has, too.
peer_library another_build(const std::string &file, const std::string &caches = {});

// This build once more, with plans for caches of these sizes. Throws input_error where it is no shared library.
peer_library this_build(const std::string &caches);

} // namespace benchdnn_lite
