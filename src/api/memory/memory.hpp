// SPDX-License-Identifier: Apache-2.0
// memory: what is behind a memory handle of the C interface: a descriptor and the place of the data.
#pragma once

#include "../../core/engine.hpp"
#include "../../core/memory_desc.hpp"
#include "../../system/aligned_bytes.hpp"
#include "tensor_match.hpp"

struct jitnorm_memory {
    jitnorm::impl::api::tensor_digest digest; // of md
    void *handle;
    jitnorm_engine_t engine;
    jitnorm::impl::aligned_bytes
        owned; // the bytes that the memory has allocated, a host scalar's value too; null if the handle is the caller's
    jitnorm_memory_desc md;
};
