// SPDX-License-Identifier: Apache-2.0
// memory: what is behind a memory handle of the C interface: a descriptor and the place of the data.
#pragma once

#include "../../base/aligned_bytes.hpp"
#include "../../base/engine.hpp"
#include "../../tensor/memory_desc.hpp"
#include "tensor_match.hpp"

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes owned; // the memory's own bytes, or the value of a host scalar; otherwise null
    jitnorm_memory_desc md;
};
