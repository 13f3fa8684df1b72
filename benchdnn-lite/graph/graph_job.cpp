// SPDX-License-Identifier: Apache-2.0
// Changes graphs, and makes one for each combination of the values in the settings' lists.
#include "graph_job.hpp"

#include <algorithm>
#include <functional>

#include "../error.hpp"
#include "../problem/attributes.hpp"
#include "../problem/tag.hpp"
#include "graph_norm.hpp"

namespace benchdnn_lite {

namespace {

// The parts of the text before and after the first separator.
std::pair<std::string, std::string> cut(const std::string &text, char separator) {
    const size_t at = text.find(separator);
    if (at == text.npos) throw input_error("'", text, "' has no '", std::string(1, separator), "'");
    return {text.substr(0, at), text.substr(at + 1)};
}

size_t parse_id(const std::string &text) { return size_t(parse_integer(text, 0, LARGEST_INTEGER)); }

std::vector<dim_t> parse_dims(const std::string &text) {
    std::vector<dim_t> dims;
    if (text == "scalar" || text == "-") return dims;
    for (const std::string &part : split(text, 'x')) dims.push_back(parse_integer(part, 0, LARGEST_INTEGER));
    if (dims.size() > JITNORM_MAX_NDIMS) throw input_error("'", text, "' has too many dimensions");
    return dims;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::vector<dim_t> parse_layout(const std::string &text, const std::vector<dim_t> &dims) {
    if (!text.empty() && is_letter(text[0])) {
        const std::string tag = canonical_tag(text, dims.size());
        if (is_blocked(tag) || tag == TAG_ANY || tag == TAG_UNDEF)
            throw input_error("'", text, "' is not an order of dimensions");
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

void rewrite_tensor(graph_tensor &t, std::string value) {
    if (!value.empty() && is_letter(value[0]) && value != "scalar") value = concat("*", value); // a tag alone
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

void set_types(graph_case &graph, const std::set<size_t> &ids, data_type type) {
    for_each_tensor(graph, [&](graph_tensor &t) {
        if (ids.contains(t.id)) t.type = type;
    });
}

// The tensors of rows of normalizations, and all tensors of other operations, except for those that change the type.
std::set<size_t> data_of(const graph_case &graph) {
    constexpr graph_role DATA[] = {graph_role::src, graph_role::diff_dst, graph_role::dst, graph_role::diff_src};
    std::set<size_t> ids;
    for (const graph_op &op : graph.ops) {
        const auto n = understand(op);
        for (const auto *tensors : {&op.inputs, &op.outputs})
            for (const graph_tensor &t : *tensors)
                if (!n && op.kind != "Quantize" && op.kind != "TypeCast") ids.insert(t.id);
        for (const auto *used : {n ? &n->inputs : nullptr, n ? &n->outputs : nullptr})
            for (const graph_role role : DATA)
                if (used != nullptr && used->contains(role)) ids.insert(used->at(role));
    }
    return ids;
}

// TYPE or ID:TYPE[+ID:TYPE...]. A TYPE alone is f32, bf16, f16, or undef for no change. It is for the data of every
// operation: src, dst and their gradients, and all tensors of operations that are no normalization, except for TypeCast
// and Quantize. ID:TYPE is for a single tensor.
void rewrite_types(graph_case &graph, std::string_view text) {
    if (text.empty() || text == "undef") return;
    if (text.find(':') == text.npos) {
        const data_type type = parse_data_type(text);
        if (type != jitnorm_f32 && type != jitnorm_bf16 && type != jitnorm_f16)
            throw input_error("'", text, "' is none of f32, bf16, f16, undef");
        return set_types(graph, data_of(graph), type);
    }
    std::set<size_t> known;
    for_each_tensor(graph, [&](const graph_tensor &t) { known.insert(t.id); });
    for (const std::string &part : split(text, '+')) {
        const auto [id_text, type] = cut(part, ':');
        const size_t id = parse_id(id_text);
        if (!known.contains(id)) throw input_error("the graph has no tensor ", id_text);
        set_types(graph, {id}, parse_data_type(type));
    }
}

// A floating-point mode. :true or :false may follow, which says whether the mode is for integers, too.
void rewrite_fpmath(graph_case &graph, std::string_view text) {
    if (!text.empty()) graph.fpmath_mode = parse_fpmath(text).mode;
}

constexpr size_t MAX_JOBS = 10'000; // a limit, because each job holds its graph

void understand_all(const graph_case &graph) {
    for (const graph_op &op : graph.ops) understand(op);
}

void rewrite(graph_job &job) {
    graph_case &graph = job.graph;
    blame("--attr-fpmath", [&] { rewrite_fpmath(graph, job.fpmath); });
    blame("--op-attrs", [&] {
        rewrite_attributes(graph, job.op_attrs);
        understand_all(graph);
    });
    blame("--dt", [&] { rewrite_types(graph, job.types); });
    blame("--in-shapes", [&] { rewrite_shapes(graph, job.in_shapes); });
}

void append(graph_job job, const std::string &match, std::vector<graph_job> &jobs) {
    if (!match.empty() && !has_match(job.line(), match)) return;
    rewrite(job);
    for (int64_t i = 0; i < job.options.repeats; ++i) {
        if (jobs.size() == MAX_JOBS)
            throw input_error("the knobs make more than ", std::to_string(MAX_JOBS), " graphs");
        jobs.push_back(job);
    }
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

std::string graph_job::line() const {
    std::string text = "--graph";
    const auto knob = [&](std::string_view name, const std::string &value) {
        if (!value.empty()) text += concat(" --", name, "=", value);
    };
    knob("mode", options.mode == run_mode{} ? "" : to_text(options.mode));
    knob("seed", options.seed == run_options{}.seed ? "" : std::to_string(options.seed));
    knob("expected-n-partitions", expected_partitions < 0 ? "" : std::to_string(expected_partitions));
    knob("attr-fpmath", fpmath);
    knob("dt", types);
    knob("in-shapes", in_shapes);
    knob("op-attrs", op_attrs);
    return concat(text, " --case=", file);
}

void append_graphs(const graph_settings &s, const std::string &file, const std::string &content,
                   const run_options &options, std::vector<graph_job> &jobs) {
    const graph_case graph = blame(concat("--case: '", file, "'"), [&] {
        graph_case parsed = parse_graph(content);
        understand_all(parsed);
        return parsed;
    });
    for (const std::string &fpmath : s.fpmaths)
        for (const std::string &types : s.types)
            for (const std::string &in_shapes : s.in_shapes)
                for (const std::string &op_attrs : s.op_attrs)
                    append({file, in_shapes, op_attrs, types, fpmath, s.expected_partitions, options, graph}, s.match,
                           jobs);
}

} // namespace benchdnn_lite
