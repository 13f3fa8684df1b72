// SPDX-License-Identifier: Apache-2.0
// another_build: another build of this library, loaded from its file, as a peer. With it, the revision after a change
// can race against the one before.
#pragma once

#include "peer.hpp"

namespace benchdnn_lite {

// Opens the library in `file`, which stays in the process until its end. Its executions have buffers of their own.
// `caches`: the sizes of caches that it plans for, as in JITNORM_CACHES; empty: the same ones as for our library.
// Throws input_error if the file is no library or lacks a function that a race needs.
peer_library another_build(const std::string &file, const std::string &caches = {});

// This build a second time, with plans for caches of these sizes (as in JITNORM_CACHES). Throws input_error if this
// program has no libjitnorm.so.
peer_library this_build(const std::string &caches);

} // namespace benchdnn_lite
