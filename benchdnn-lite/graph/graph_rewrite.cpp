// SPDX-License-Identifier: Apache-2.0
// --in-shapes and --op-attrs.
#include "graph_rewrite.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "../error.hpp"
#include "../problem/tag.hpp"

namespace benchdnn_lite {

namespace {

constexpr int64_t LARGEST = std::numeric_limits<int64_t>::max();

// "head:tail" at the first separator.
std::pair<std::string, std::string> cut(const std::string &text, char separator) {
    const size_t at = text.find(separator);
    if (at == text.npos) throw input_error("'", text, "' has no '", std::string(1, separator), "'");
    return {text.substr(0, at), text.substr(at + 1)};
}

size_t parse_id(const std::string &text) { return size_t(parse_integer(text, 0, LARGEST)); }

std::vector<dim_t> parse_dims(const std::string &text) {
    std::vector<dim_t> dims;
    if (text == "scalar") return dims;
    for (const std::string &part : split(text, 'x')) dims.push_back(parse_integer(part, 0, LARGEST));
    if (dims.size() > JITNORM_MAX_NDIMS) throw input_error("'", text, "' has too many dimensions");
    return dims;
}

std::vector<dim_t> parse_layout(const std::string &text, const std::vector<dim_t> &dims) {
    const bool is_tag = !text.empty() && text[0] >= 'a' && text[0] <= 'z';
    if (is_tag) {
        const std::string tag = canonical_tag(text, dims.size());
        if (is_blocked(tag) || tag == TAG_ANY || tag == TAG_UNDEF)
            throw input_error("'", text, "' is no order of dimensions");
        return strides_of(tag, dims);
    }
    const std::vector<dim_t> strides = parse_dims(text);
    if (strides.size() != dims.size()) throw input_error("'", text, "' are not as many strides as dimensions");
    return strides;
}

std::vector<dim_t> dense_strides(const std::vector<dim_t> &dims) {
    std::string letters;
    for (size_t d = 0; d < dims.size(); ++d) letters += char('a' + d);
    return strides_of(letters, dims);
}

void rewrite_tensor(graph_tensor &t, const std::string &value) {
    const size_t star = value.find('*');
    const std::string shape = value.substr(0, star);
    if (value.empty()) throw input_error("tensor ", std::to_string(t.id), " gets neither shape nor layout");
    if (!shape.empty()) t.dims = parse_dims(shape);
    if (shape.empty() && !t.has_shape) throw input_error("tensor ", std::to_string(t.id), " has no shape to lay out");
    t.strides = star == value.npos ? dense_strides(t.dims) : parse_layout(value.substr(star + 1), t.dims);
    t.layout_type = jitnorm_graph_layout_type_strided;
    t.has_shape = true;
}

void for_each_tensor(graph_case &graph, const std::function<void(graph_tensor &)> &body) {
    for (graph_op &op : graph.ops) {
        std::for_each(op.inputs.begin(), op.inputs.end(), body);
        std::for_each(op.outputs.begin(), op.outputs.end(), body);
    }
}

void forget_shapes(graph_case &graph, const std::set<size_t> &ids) {
    for_each_tensor(graph, [&](graph_tensor &t) {
        if (ids.contains(t.id)) t.has_shape = false;
    });
}

bool is_off(const graph_op &op, const char *attribute) {
    const auto found = op.attributes.find(attribute);
    const bool *value = found == op.attributes.end() ? nullptr : std::get_if<bool>(&found->second);
    return value != nullptr && !*value;
}

void drop_outputs_switched_off(graph_op &op) {
    const bool statistics = op.kind == "LayerNorm" && is_off(op, "keep_stats");
    const bool gradients = op.kind != "LayerNorm" && is_off(op, "use_affine");
    if ((statistics || gradients) && op.outputs.size() > 1) op.outputs.resize(1);
}

void rewrite_op(graph_case &graph, const std::string &text) {
    const auto [id_text, settings] = cut(text, ':');
    const size_t id = parse_id(id_text);
    const auto op = std::find_if(graph.ops.begin(), graph.ops.end(), [&](auto &o) { return o.id == id; });
    if (op == graph.ops.end()) throw input_error("the graph has no operation ", id_text);
    for (const std::string &setting : split(settings, '*')) {
        const auto [name, value] = cut(setting, ':');
        if (value == "undef")
            op->attributes.erase(name);
        else
            op->attributes[name] = parse_graph_attribute(name, value);
    }
    drop_outputs_switched_off(*op);
}

} // namespace

void rewrite_shapes(graph_case &graph, std::string_view text) {
    if (text.empty()) return;
    const std::set<size_t> boundaries = graph.boundaries();
    std::set<size_t> inferred = graph.written();
    for (const std::string &part : split(text, '+')) {
        const auto [id_text, value_text] = cut(part, ':');
        const std::string &value = value_text;
        const size_t id = parse_id(id_text);
        if (!boundaries.contains(id)) throw input_error("tensor ", id_text, " is no input or output of the graph");
        for_each_tensor(graph, [&](graph_tensor &t) {
            if (t.id == id) rewrite_tensor(t, value);
        });
        inferred.erase(id);
    }
    forget_shapes(graph, inferred);
}

void rewrite_attributes(graph_case &graph, std::string_view text) {
    if (text.empty()) return;
    for (const std::string &part : split(text, '+')) rewrite_op(graph, part);
    forget_shapes(graph, graph.written());
}

} // namespace benchdnn_lite
