// SPDX-License-Identifier: Apache-2.0
// tensor as the C interface's handle knows it: a description and where the data is.
#pragma once

#include "../core/engine.hpp"
#include "../system/aligned_bytes.hpp"
#include "operation/logical_tensor.hpp"

struct jitnorm_graph_tensor {
    jitnorm::impl::graph::logical_tensor description;
    jitnorm_engine_t engine;
    void *handle;
    jitnorm::impl::aligned_bytes owned; // null: the handle is the caller's
};
