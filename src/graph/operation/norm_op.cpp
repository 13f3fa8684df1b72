// SPDX-License-Identifier: Apache-2.0
// The schemas of the operations, which jitnorm_graph.h describes in words. Each rule has one check.
#include "norm_op.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "../../tensor/names.hpp"

namespace jitnorm::impl::graph {

namespace {

constexpr status wrong(const char *reason) { return {jitnorm_invalid_graph_op, reason}; }

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

// ---------------------------------------------------------------- attributes

struct attribute_values {
    bool keep_stats = true;
    int64_t begin_norm_axis = -1;
    bool use_affine = true;
    float epsilon;
    std::vector<int64_t> output_mask = {1, 1, 1};
};

// That of an operation without the attribute. Ascend's kernel of LayerNormGrad, which knows no attribute, has two.
float default_epsilon(const jitnorm_graph_op &op, const schema &s) {
    const auto x = size_t(std::ranges::find(s.inputs, SRC) - s.inputs.begin());
    const bool is_float = x < op.inputs.size() && op.inputs[x].data_type == jitnorm_f32;
    return s.is_ascend() && is_float ? 1e-12F : 1e-5F;
}

// Reads the attribute if the operation has it. `type` is the required type, in words.
template <typename Value>
status read_as(const char *type, const jitnorm_graph_op &op, jitnorm_graph_op_attr_t name, const char *text,
               Value &value) {
    return read(op, name, value) ? ACCEPTED : wrong(explain("the attribute %s must be %s", text, type));
}

status check_mask(const std::vector<int64_t> &mask) {
    if (mask.size() != 3) return wrong(explain("output_mask has %zu numbers; it must have 3", mask.size()));
    for (size_t i = 0; i < mask.size(); ++i)
        if (mask[i] != 0 && mask[i] != 1)
            return wrong(explain("output_mask[%zu] is %lld; 0 or 1 is expected", i, as_number(mask[i])));
    return ACCEPTED;
}

status read_attributes(const jitnorm_graph_op &op, const schema &s, attribute_values &v) {
    for (const auto &[name, value] : op.attributes)
        if (std::find(s.attributes.begin(), s.attributes.end(), name) == s.attributes.end())
            return wrong(explain("%s has no attribute 0x%x", s.name.data(), unsigned(name)));
    JITNORM_TRY(read_as("a bool", op, KEEP_STATS, "keep_stats", v.keep_stats));
    JITNORM_TRY(read_as("an s64", op, AXIS, "begin_norm_axis", v.begin_norm_axis));
    JITNORM_TRY(read_as("a bool", op, AFFINE, "use_affine", v.use_affine));
    JITNORM_TRY(read_as("an f32", op, EPSILON, "epsilon", v.epsilon));
    JITNORM_TRY(read_as("a list of s64 values", op, MASK, "output_mask", v.output_mask));
    if (!std::isfinite(v.epsilon) || v.epsilon < 0)
        return wrong(explain("epsilon is %g; it must be finite and not negative", double(v.epsilon)));
    return check_mask(v.output_mask);
}

// ---------------------------------------------------------------- inputs and outputs

status check_counts(const jitnorm_graph_op &op, const schema &s, const attribute_values &v) {
    if (op.inputs.size() < s.fewest_inputs || op.inputs.size() > s.inputs.size())
        return wrong(explain("%s takes %zu to %zu inputs, not %zu", s.name.data(), s.fewest_inputs, s.inputs.size(),
                             op.inputs.size()));
    const bool keeps_or_not = s.is_forward() && !s.is_rms(), has_optional = !s.is_forward() && !s.is_ascend();
    const size_t most = keeps_or_not && !v.keep_stats ? 1 : s.outputs.size(), fewest = has_optional ? 1 : most;
    const size_t given = op.outputs.size();
    if (fewest <= given && given <= most) return ACCEPTED;
    if (has_optional) return wrong(explain("%s has 1 to %zu outputs, not %zu", s.name.data(), most, given));
    return wrong(explain("%s%s has %zu output%s, not %zu", s.name.data(),
                         !keeps_or_not  ? ""
                         : v.keep_stats ? " with keep_stats"
                                        : " without keep_stats",
                         most, most == 1 ? "" : "s", given));
}

void set_ports(norm_op &n, std::span<const slot> slots, const std::vector<logical_tensor> &tensors, use how) {
    for (size_t i = 0; i < tensors.size(); ++i) n.ports[size_t(slots[i])] = {how, tensors[i].id, tensors[i].data_type};
}

// ---------------------------------------------------------------- data types

status not_possible(const norm_op &n, slot s, const char *possible) {
    return wrong(explain("%s is %s; supported: %s", role_name(s, n), text_of(n[s].type), possible));
}

// Whether the tensors in those of these slots that are used have one type.
status check_one_type(const norm_op &n, std::initializer_list<slot> slots) {
    const port *first = nullptr;
    const char *name = "";
    for (const slot s : slots) {
        if (n[s].how == use::absent) continue;
        if (first != nullptr && n[s].type != first->type)
            return wrong(explain("%s is %s and %s is %s; they must have one type", name, text_of(first->type),
                                 role_name(s, n), text_of(n[s].type)));
        if (first == nullptr) name = role_name(s, n), first = &n[s];
    }
    return ACCEPTED;
}

status check_onednn_types(const norm_op &n) {
    for (const slot s : {MEAN, VARIANCE, SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT})
        if (n[s].how != use::absent && n[s].type != jitnorm_f32 &&
            (n[s].type != jitnorm_bf16 || n[SRC].type != jitnorm_bf16))
            return not_possible(n, s, "f32, and bf16 if src is bf16");
    return check_one_type(n, {MEAN, VARIANCE, SCALE, SHIFT, DIFF_SCALE, DIFF_SHIFT});
}

status check_rms_types(const norm_op &n) {
    if (!n.reads(SCALE)) return ACCEPTED;
    const bool fits =
        is_single_or_half(n[SCALE].type) && (n[SCALE].type != jitnorm_bf16 || n[SRC].type == jitnorm_bf16);
    return fits ? ACCEPTED : not_possible(n, SCALE, "f32 and f16, and bf16 if src is bf16");
}

status check_ascend_types(const norm_op &n) {
    for (const slot s : {MEAN, VARIANCE})
        if (!is_single_or_half(n[s].type) || size_of(n[s].type) < size_of(n[SRC].type))
            return not_possible(n, s, "f32, and bf16 and f16 if x has 16 bits");
    for (const slot s : {SCALE, DIFF_SCALE, DIFF_SHIFT})
        if (n[s].how != use::absent && !is_single_or_half(n[s].type)) return not_possible(n, s, "f32, bf16 and f16");
    return ACCEPTED;
}

// Src, dst and their gradients have one type. Each interface has rules of its own for the types of the other tensors.
status check_data_types(const norm_op &n) {
    if (!is_single_or_half(n[SRC].type)) return not_possible(n, SRC, "f32, bf16 and f16");
    JITNORM_TRY(check_one_type(n, {SRC, DIFF_DST, DST, DIFF_SRC}));
    if (n.counts_axes_of_gamma) return check_ascend_types(n);
    return n.is_rms ? check_rms_types(n) : check_onednn_types(n);
}

// ----------------------------------------------------------------

status check_axis(const jitnorm_graph_op &op, const norm_op &n) {
    const int rank = op.inputs[0].ndims;
    const bool fits = n.counts_axes_of_gamma || rank == JITNORM_GRAPH_UNKNOWN_NDIMS ||
                      (-rank <= n.begin_norm_axis && n.begin_norm_axis < rank);
    if (fits) return ACCEPTED;
    return wrong(explain("begin_norm_axis is %lld; src has %d dimensions", as_number(n.begin_norm_axis), rank));
}

} // namespace

const char *role_name(slot s, const norm_op &n) {
    constexpr struct {
        slot place;
        const char *name, *of_ascend;
    } NAMES[] = {{SRC, "src", "x"},
                 {SCALE, "gamma", "gamma"},
                 {SHIFT, "beta", "beta"},
                 {DIFF_DST, "diff_dst", "dy"},
                 {DIFF_SRC, "diff_src", "pd_x"},
                 {DIFF_SCALE, "diff_gamma", "pd_gamma"},
                 {DIFF_SHIFT, "diff_beta", "pd_beta"}};
    for (const auto &[place, name, of_ascend] : NAMES)
        if (place == s) return n.counts_axes_of_gamma ? of_ascend : name;
    return layer_norm::tensor_name(s);
}

bool normalizes_last_axis(const norm_op &n, int rank) {
    if (n.begin_norm_axis != -1 && n.begin_norm_axis != rank - 1) return false;
    return rank == JITNORM_GRAPH_UNKNOWN_NDIMS ? n.begin_norm_axis == -1 : 2 <= rank && rank <= 5;
}

status understand(const jitnorm_graph_op &op, std::optional<norm_op> &result) {
    const schema *s = find(SCHEMAS, op.kind);
    if (s == nullptr) return ACCEPTED;
    attribute_values v = {.epsilon = default_epsilon(op, *s)};
    JITNORM_TRY(read_attributes(op, *s, v));
    JITNORM_TRY(check_counts(op, *s, v));

    norm_op n{.name = std::string(s->name),
              .is_forward = s->is_forward(),
              .is_rms = s->is_rms(),
              .counts_axes_of_gamma = s->is_ascend(),
              .begin_norm_axis = v.begin_norm_axis,
              .epsilon = v.epsilon,
              .ports = {}};
    set_ports(n, s->inputs, op.inputs, use::read);
    set_ports(n, s->outputs, op.outputs, use::written);
    for (size_t i = 0; i < s->outputs.size() && s->is_ascend(); ++i)
        if (v.output_mask[i] == 0) n.ports[size_t(s->outputs[i])] = {};
    JITNORM_TRY(check_data_types(n));
    JITNORM_TRY(check_axis(op, n));
    // The result does not depend on beta in backward, nor on gamma and beta without the attribute use_affine.
    if (!v.use_affine) n.ports[SCALE] = {};
    if (!v.use_affine || !n.is_forward) n.ports[SHIFT] = {};
    if (!n.is_rms || normalizes_last_axis(n, op.inputs[0].ndims)) result = n;
    return ACCEPTED;
}

} // namespace jitnorm::impl::graph
