// SPDX-License-Identifier: Apache-2.0
// attr: attributes and post-ops behind the handles of the C interface. They hold everything that a caller may set;
// layer normalization takes a part of it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "../../base/boundary.hpp"
#include "../../norm/attributes.hpp"
#include "../../norm/problem.hpp"

namespace jitnorm::impl::api {

struct prelu_post_op {
    int mask = 0;
};

// A descriptor that few attributes have. Copies share it. It is not part of the attributes, because with three of them
// attributes, primitive descriptors and primitives have more than a kilobyte, for which malloc takes several times as
// long.
class rare_desc {
public:
    const memory_desc &get() const { return md_ != nullptr ? *md_ : NO_TENSOR; }
    void set(const memory_desc &md) { md_ = md.ndims == 0 ? nullptr : std::make_shared<const memory_desc>(md); }

private:
    std::shared_ptr<const memory_desc> md_; // null: an empty descriptor
};

// What is added to src before it is normalized (docs/arithmetic.md, "Residual addition").
struct residual_addition {
    rare_desc added; // the residual, with the dimensions of src; empty: nothing is added
    // Forward: the sum, which is an output. Backward: the gradient of the sum, which is an input. Empty: there is none.
    rare_desc sum;
    jitnorm_data_type_t bias_type = jitnorm_data_type_undef; // undef: no bias
    bool normalizes_rounded = false; // what is normalized is the sum as its tensor holds it, not the sum as computed
    bool multiplies_silu = false;    // src is multiplied by silu of the residual, to which it is not added
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
    jitnorm::impl::api::residual_addition residual;
    jitnorm::impl::api::rare_desc pre_quantization; // without dimensions: there is no such output
    jitnorm::impl::api::rare_desc scale, shift;     // without dimensions: they are vectors
    jitnorm::impl::api::rare_desc gate;             // without dimensions: src is added to the residual as it is
    std::optional<double> epsilon;                  // replaces that of the creation function

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

// Sets p[DST_SCALE] to the descriptor of the scales that are to be found. The layout of dst is already decided.
status describe_dynamic_scales(const jitnorm_primitive_attr &given, layer_norm::problem &p);

// Replaces the descriptors in `attr` by those of the problem, whose layouts are decided.
void take_over_layouts(const layer_norm::problem &decided, jitnorm_primitive_attr &attr);

} // namespace jitnorm::impl::api
