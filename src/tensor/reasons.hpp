// SPDX-License-Identifier: Apache-2.0
// reasons: texts for reasons of refusals. Nothing here allocates or throws, because executions need reasons, too.
#pragma once

#include <span>

#include "memory_desc.hpp"

namespace jitnorm::impl {

struct short_text {
    char text[64];
};

// "4x3x8"; a dimension that is not known yet is *; "none" without dimensions.
short_text dims_text(std::span<const dim_t> dims) noexcept;
inline short_text dims_text(const memory_desc &md) noexcept { return dims_text({md.dims, size_t(md.ndims)}); }

// Names the dimension in which the tensor `name` differs from the expected dimensions, those of `other`. The result is
// explain()'s.
const char *explain_dims(const char *name, std::span<const dim_t> given, const char *other,
                         std::span<const dim_t> expected) noexcept;
inline const char *explain_dims(const char *name, const memory_desc &given, const char *other,
                                const memory_desc &expected) noexcept {
    return explain_dims(name, {given.dims, size_t(given.ndims)}, other, {expected.dims, size_t(expected.ndims)});
}

// The reason with its subject in front: "post-op 2: unknown algorithm". The reason may be explain()'s,
// and the result is.
const char *explain_part(const char *name, const char *reason) noexcept;

} // namespace jitnorm::impl
