// SPDX-License-Identifier: Apache-2.0
// The schemas of the operations, which jitnorm_graph.h describes in words. Each rule has one check.
#include "norm_op.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace jitnorm::impl::graph {

namespace {

constexpr verdict wrong(const char *reason) { return {jitnorm_invalid_graph_op, reason}; }

struct schema {
    jitnorm_graph_op_kind_t kind;
    std::string_view name;
    std::span<const slot> inputs, outputs;
    size_t fewest_inputs;
    std::span<const jitnorm_graph_op_attr_t> attributes;

    bool is_ascend() const { return kind == jitnorm_graph_op_layer_norm_grad; }
    bool is_rms() const { return kind == jitnorm_graph_op_rms_norm; }
    bool is_forward() const { return kind == jitnorm_graph_op_layer_norm || is_rms(); }
};

constexpr slot FORWARD_INPUTS[] = {SRC, SCALE, SHIFT}, FORWARD_OUTPUTS[] = {DST, MEAN, VARIANCE};
constexpr slot BACKWARD_INPUTS[] = {SRC, DIFF_DST, MEAN, VARIANCE, SCALE, SHIFT};
constexpr slot BACKWARD_OUTPUTS[] = {DIFF_SRC, DIFF_SCALE, DIFF_SHIFT};
constexpr slot RMS_INPUTS[] = {SRC, SCALE}, RMS_OUTPUTS[] = {DST};
constexpr slot ASCEND_INPUTS[] = {DIFF_DST, SRC, VARIANCE, MEAN, SCALE};

constexpr auto KEEP_STATS = jitnorm_graph_op_attr_keep_stats, AXIS = jitnorm_graph_op_attr_begin_norm_axis,
               AFFINE = jitnorm_graph_op_attr_use_affine, EPSILON = jitnorm_graph_op_attr_epsilon,
               MASK = jitnorm_graph_op_attr_output_mask;
constexpr jitnorm_graph_op_attr_t FORWARD_ATTRIBUTES[] = {KEEP_STATS, AXIS, AFFINE, EPSILON},
                                  RMS_ATTRIBUTES[] = {AXIS, EPSILON}, BACKWARD_ATTRIBUTES[] = {AXIS, AFFINE, EPSILON},
                                  ASCEND_ATTRIBUTES[] = {MASK, EPSILON};

constexpr schema SCHEMAS[] = {
    {jitnorm_graph_op_layer_norm, "LayerNorm", FORWARD_INPUTS, FORWARD_OUTPUTS, 1, FORWARD_ATTRIBUTES},
    {jitnorm_graph_op_rms_norm, "RMSNorm", RMS_INPUTS, RMS_OUTPUTS, 1, RMS_ATTRIBUTES},
    {jitnorm_graph_op_layer_norm_backward, "LayerNormBackward", BACKWARD_INPUTS, BACKWARD_OUTPUTS, 4,
     BACKWARD_ATTRIBUTES},
    {jitnorm_graph_op_layer_norm_backprop, "LayerNormBackprop", BACKWARD_INPUTS, BACKWARD_OUTPUTS, 4,
     BACKWARD_ATTRIBUTES},
    {jitnorm_graph_op_layer_norm_grad, "LayerNormGrad", ASCEND_INPUTS, BACKWARD_OUTPUTS, 5, ASCEND_ATTRIBUTES},
};

const schema *find_schema(jitnorm_graph_op_kind_t kind) {
    const auto *found = std::find_if(std::begin(SCHEMAS), std::end(SCHEMAS), [&](auto &s) { return s.kind == kind; });
    return found == std::end(SCHEMAS) ? nullptr : found;
}

// ---------------------------------------------------------------- attributes

struct attribute_values {
    bool keep_stats = true;
    int64_t begin_norm_axis = -1;
    bool use_affine = true;
    float epsilon = 1e-5F;
    std::vector<int64_t> output_mask = {1, 1, 1};
};

verdict read_attributes(const jitnorm_graph_op &op, const schema &s, attribute_values &v) {
    for (const auto &[name, value] : op.attributes)
        if (std::find(s.attributes.begin(), s.attributes.end(), name) == s.attributes.end())
            return wrong("the operation has no such attribute");
    if (!read(op, KEEP_STATS, v.keep_stats) || !read(op, AXIS, v.begin_norm_axis) || !read(op, AFFINE, v.use_affine) ||
        !read(op, EPSILON, v.epsilon) || !read(op, MASK, v.output_mask))
        return wrong("an attribute of another type");
    if (!std::isfinite(v.epsilon) || v.epsilon < 0)
        return wrong(explain("epsilon is %g, it must be finite and not negative", double(v.epsilon)));
    const bool is_mask =
        std::all_of(v.output_mask.begin(), v.output_mask.end(), [](auto m) { return m == 0 || m == 1; });
    return is_mask && v.output_mask.size() == 3 ? ACCEPTED : wrong("output_mask must be three values, each 0 or 1");
}

// ---------------------------------------------------------------- inputs and outputs

verdict check_counts(const jitnorm_graph_op &op, const schema &s, const attribute_values &v) {
    if (op.inputs.size() < s.fewest_inputs || op.inputs.size() > s.inputs.size())
        return wrong(explain("%s has %zu to %zu inputs, not %zu", s.name.data(), s.fewest_inputs, s.inputs.size(),
                             op.inputs.size()));
    const bool has_all = op.outputs.size() == s.outputs.size();
    if (s.is_ascend()) return has_all ? ACCEPTED : wrong("LayerNormGrad has three outputs");
    if (s.is_rms()) return has_all ? ACCEPTED : wrong("RMSNorm has one output");
    if (!has_all && op.outputs.size() != 1)
        return wrong(explain("%s has 1 or 3 outputs, not %zu", s.name.data(), op.outputs.size()));
    if (s.is_forward())
        return has_all == v.keep_stats ? ACCEPTED : wrong("mean and variance are outputs if keep_stats says so");
    return has_all || !v.use_affine ? ACCEPTED : wrong("diff_gamma and diff_beta are outputs if use_affine says so");
}

void set_ports(norm_op &n, std::span<const slot> slots, const std::vector<logical_tensor> &tensors, use how) {
    for (size_t i = 0; i < tensors.size(); ++i) n.ports[size_t(slots[i])] = {how, tensors[i].id, tensors[i].data_type};
}

void mask_outputs(norm_op &n, const schema &s, const std::vector<int64_t> &mask) {
    for (size_t i = 0; i < s.outputs.size() && s.is_ascend(); ++i)
        if (mask[i] == 0) n.ports[size_t(s.outputs[i])] = {};
}

// ---------------------------------------------------------------- data types

// Whether the tensors in these slots have the type, as far as the slots are used.
bool are_of(const norm_op &n, std::initializer_list<slot> slots, jitnorm_data_type_t type) {
    return std::all_of(slots.begin(), slots.end(),
                       [&](slot s) { return n[s].how == use::absent || n[s].type == type; });
}

bool is_data_type(jitnorm_data_type_t type) {
    return type == jitnorm_f32 || type == jitnorm_bf16 || type == jitnorm_f16;
}

verdict check_data_types(const norm_op &n) {
    const jitnorm_data_type_t type = n[SRC].type;
    return is_data_type(type) && are_of(n, {DIFF_DST, DST, DIFF_SRC}, type)
               ? ACCEPTED
               : wrong("src, dst and their gradients must be of one type: f32, bf16 or f16");
}

verdict check_onednn_types(const norm_op &n) {
    const auto all_are = [&](jitnorm_data_type_t type) {
        return are_of(n, {MEAN, VARIANCE, SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT}, type);
    };
    return all_are(jitnorm_f32) || (n[SRC].type == jitnorm_bf16 && all_are(jitnorm_bf16))
               ? ACCEPTED
               : wrong("gamma, beta, statistics and gradients of gamma and beta must be f32, or bf16 as src is");
}

verdict check_rms_types(const norm_op &n) {
    if (!n.reads(SCALE)) return ACCEPTED;
    const bool fits = is_data_type(n[SCALE].type) && (n[SCALE].type != jitnorm_bf16 || n[SRC].type == jitnorm_bf16);
    return fits ? ACCEPTED : wrong("gamma must be f32 or f16, or bf16 as src is");
}

verdict check_ascend_types(const norm_op &n) {
    for (const slot s : {MEAN, VARIANCE})
        if (!is_data_type(n[s].type) || size_of(n[s].type) < size_of(n[SRC].type))
            return wrong("variance and mean must be f32, bf16 or f16, and as wide as x");
    for (const slot s : {SCALE, DIFF_SCALE, DIFF_SHIFT})
        if (n[s].how != use::absent && !is_data_type(n[s].type))
            return wrong("gamma, pd_gamma and pd_beta must be f32, bf16 or f16");
    return ACCEPTED;
}

// ----------------------------------------------------------------

verdict check_axis(const jitnorm_graph_op &op, const norm_op &n) {
    const int rank = op.inputs[0].ndims;
    const bool fits = n.counts_axes_of_gamma || rank == JITNORM_GRAPH_UNKNOWN_NDIMS ||
                      (-rank <= n.begin_norm_axis && n.begin_norm_axis < rank);
    return fits ? ACCEPTED
                : wrong(explain("begin_norm_axis is %lld and src has %d dimensions",
                                static_cast<long long>(n.begin_norm_axis), rank));
}

// The rules for the types of all tensors other than src, dst and their gradients.
verdict check_side_types(const norm_op &n) {
    if (n.counts_axes_of_gamma) return check_ascend_types(n);
    return n.is_rms ? check_rms_types(n) : check_onednn_types(n);
}

// The result does not depend on beta in backward, nor on gamma and beta without use_affine.
void forget_unused(norm_op &n) {
    if (!n.is_affine) n.ports[SCALE] = {};
    if (!n.is_affine || !n.is_forward) n.ports[SHIFT] = {};
}

} // namespace

bool normalizes_last_axis(const norm_op &n, int rank) {
    if (n.begin_norm_axis != -1 && n.begin_norm_axis != rank - 1) return false;
    return rank == JITNORM_GRAPH_UNKNOWN_NDIMS ? n.begin_norm_axis == -1 : 2 <= rank && rank <= 5;
}

verdict understand(const jitnorm_graph_op &op, std::optional<norm_op> &result) {
    const schema *s = find_schema(op.kind);
    if (s == nullptr) return ACCEPTED;
    attribute_values v;
    if (verdict bad = read_attributes(op, *s, v); bad.failed()) return bad;
    if (verdict bad = check_counts(op, *s, v); bad.failed()) return bad;

    norm_op n{std::string(s->name), s->is_forward(),   s->is_rms(), v.use_affine,
              s->is_ascend(),       v.begin_norm_axis, v.epsilon,   {}};
    set_ports(n, s->inputs, op.inputs, use::read);
    set_ports(n, s->outputs, op.outputs, use::written);
    mask_outputs(n, *s, v.output_mask);
    if (verdict bad = check_data_types(n); bad.failed()) return bad;
    if (verdict bad = check_side_types(n); bad.failed()) return bad;
    if (verdict bad = check_axis(op, n); bad.failed()) return bad;
    forget_unused(n);
    if (!n.is_rms || normalizes_last_axis(n, op.inputs[0].ndims)) result = n;
    return ACCEPTED;
}

} // namespace jitnorm::impl::graph
