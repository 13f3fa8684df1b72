// SPDX-License-Identifier: Apache-2.0
// attr: attributes and post-ops behind the handles of the C interface. They hold everything that a caller may set;
// layer normalization takes a part of it.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../../base/boundary.hpp"
#include "../../norm/attributes.hpp"
#include "../../norm/problem.hpp"

namespace jitnorm::impl::api {

struct prelu_post_op {
    int mask = 0;
};

// The descriptors that attributes have, each in the slot of its tensor: RESIDUAL, SUM, GATE, SCALE, SHIFT and further
// outputs. Copies share them. They are not part of the attributes, because with three of them attributes, primitive
// descriptors and primitives have more than a kilobyte, for which malloc takes several times as long.
class tensor_descs {
public:
    using entry = std::pair<layer_norm::slot, std::shared_ptr<const memory_desc>>;

    const memory_desc &operator[](layer_norm::slot s) const; // empty if there is none
    // Replaces descriptors; an empty one or null removes the old one. If it throws std::bad_alloc, nothing has changed.
    void set(std::initializer_list<std::pair<layer_norm::slot, const memory_desc *>> changes);

    auto begin() const { return entries_.begin(); }
    auto end() const { return entries_.end(); }

private:
    std::vector<entry> entries_;
};

// A request to find scales of dst: a mask and, if ndims is 2, the sizes of groups.
struct scale_request {
    int mask = 0; // 0: no scales are found
    int ndims = 0;
    dim_t group_dims[2] = {0, 0};
};

using any_post_op = std::variant<sum_post_op, eltwise_post_op, binary_post_op, prelu_post_op>;

enum class setting { scale, zero_point, rounding };

// A setting of an argument that layer normalization does not support.
struct unsupported_request {
    setting what;
    int arg;
    const char *reason; // a literal
};

} // namespace jitnorm::impl::api

struct jitnorm_post_ops {
    std::vector<jitnorm::impl::api::any_post_op> entries; // at most MAX_POST_OPS
};

struct jitnorm_primitive_attr {
    jitnorm_scratchpad_mode_t scratchpad_mode = jitnorm_scratchpad_mode_library;
    bool src_scale = false, dst_scale = false;
    jitnorm::impl::api::scale_request dynamic_scales;
    jitnorm_post_ops post_ops;
    // How src and the residual are added before the normalization (docs/arithmetic.md, "Residual addition").
    jitnorm_data_type_t bias_type = jitnorm_data_type_undef; // undef: no bias
    unsigned residual_flags = jitnorm_residual_flags_none;   // jitnorm_residual_flags_t, or-ed
    jitnorm::impl::api::tensor_descs tensors;
    std::optional<double> epsilon; // replaces that of the creation function

    bool deterministic = false;
    jitnorm_fpmath_mode_t fpmath_mode;
    bool fpmath_applies_to_int = false;
    jitnorm_accumulation_mode_t accumulation_mode = jitnorm_accumulation_mode_strict;

    std::vector<jitnorm::impl::api::unsupported_request> unsupported_requests;

    jitnorm_primitive_attr(); // has the process's default floating-point mode

    // Replaces what was requested for the argument before. `refusal` is the reason why it is not supported; null: it
    // is.
    void request(jitnorm::impl::api::setting what, int arg, const char *refusal);
};

namespace jitnorm::impl::api {

// Puts the attributes that layer normalization takes into the problem, except for scales that are to be found. Returns
// unimplemented if there are others.
status lower(const jitnorm_primitive_attr &given, layer_norm::problem &p);

} // namespace jitnorm::impl::api
