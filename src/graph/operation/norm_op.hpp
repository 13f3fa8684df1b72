// SPDX-License-Identifier: Apache-2.0
// norm_op: a normalization, forward or backward, whichever kind of operation describes it: the slots of its tensors and
// the values of its attributes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../../base/boundary.hpp"
#include "../../norm/tensors.hpp"
#include "op.hpp"

namespace jitnorm::impl::graph {

using layer_norm::slot;
using layer_norm::use;
using enum layer_norm::slot;

// The tensor in a slot of an operation. Gamma is in the slot SCALE, beta in SHIFT.
struct port {
    layer_norm::use how = use::absent;
    size_t id = 0; // of the logical tensor
    jitnorm_data_type_t type = jitnorm_data_type_undef;
};

// An operation that is fused after a normalization. It applies a function to each value, or it combines each value
// with a number of another tensor.
struct combination {
    jitnorm_alg_kind_t alg = jitnorm_alg_kind_undef;
    port other;
};
using follower = std::variant<eltwise_post_op, combination>;

struct norm_op {
    std::string name; // for example "LayerNorm" or "LayerNorm+GELU"
    bool is_forward;
    bool is_rms;               // without mean: rows are divided by the root of their mean square
    bool counts_axes_of_gamma; // as many axes are normalized as gamma has
    int64_t begin_norm_axis;   // the first normalized axis, unless counts_axes_of_gamma
    float epsilon;
    std::array<port, size_t(FIRST_POST_OP)> ports;
    std::vector<follower> followers = {}; // in order; the last one writes DST
    // A Multiply and an Add after the normalization read SCALE and SHIFT: tensors that are broadcast to src.
    bool is_modulated = false;

    const port &operator[](slot s) const { return ports[size_t(s)]; }
    bool reads(slot s) const { return (*this)[s].how == use::read; }
    bool writes(slot s) const { return (*this)[s].how == use::written; }
};

// The tensor's name in the operation's description (jitnorm_graph.h).
const char *role_name(slot s, const norm_op &n);

// Whether the operation normalizes the last of 2 to 5 axes, and no other: oneDNN's limits for RMSNorm and for a
// normalization that is fused with others. `rank` is the number of src's axes, or JITNORM_GRAPH_UNKNOWN_NDIMS.
bool normalizes_last_axis(const norm_op &n, int rank);

// Finds the normalization that an operation describes. If the operation is not supported, the status is ACCEPTED and
// `result` is unchanged. If the operation breaks a rule of its kind, its code is invalid_graph_op.
status understand(const jitnorm_graph_op &op, std::optional<norm_op> &result);

} // namespace jitnorm::impl::graph
