// SPDX-License-Identifier: Apache-2.0
// tensor: the object behind the C interface's handle: a description and the address of the data.
#pragma once

#include "../base/boundary.hpp"
#include "../base/bytes.hpp"
#include "operation/op.hpp"

struct jitnorm_graph_tensor {
    jitnorm::impl::graph::logical_tensor description;
    jitnorm_engine_t engine;
    void *handle;
    jitnorm::impl::aligned_bytes owned; // null if the data is the caller's
};
