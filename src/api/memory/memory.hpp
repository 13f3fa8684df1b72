// SPDX-License-Identifier: Apache-2.0
// memory as the C interface's handle knows it: a descriptor and where its data is.
#pragma once

#include "../../core/engine.hpp"
#include "../../core/memory_desc.hpp"
#include "../../system/aligned_bytes.hpp"
#include "tensor_match.hpp"

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes owned; // null: the handle is the caller's
    jitnorm_memory_desc md;
};
