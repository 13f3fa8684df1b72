// SPDX-License-Identifier: Apache-2.0
// Reads a serialized graph.
#include "graph_case.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "../error.hpp"
#include "../problem/attributes.hpp"

namespace benchdnn_lite {

namespace {

using nlohmann::json;

template <typename Value>
struct named {
    std::string_view name;
    Value value;
};

constexpr named<jitnorm_graph_layout_type_t> LAYOUTS[] = {{"undef", jitnorm_graph_layout_type_undef},
                                                          {"any", jitnorm_graph_layout_type_any},
                                                          {"strided", jitnorm_graph_layout_type_strided}};
constexpr named<jitnorm_graph_tensor_property_t> PROPERTIES[] = {
    {"undef", jitnorm_graph_tensor_property_undef},
    {"variable", jitnorm_graph_tensor_property_variable},
    {"constant", jitnorm_graph_tensor_property_constant},
    {"host_scalar", jitnorm_graph_tensor_property_host_scalar}};

template <typename Table>
auto value_of(const Table &table, const std::string &name, std::string_view what) {
    if (const auto *entry = find_named(table, name)) return entry->value;
    throw input_error("unknown ", what, " '", name, "'");
}

const json &member(const json &object, const char *name) {
    if (!object.is_object()) throw input_error("an object with '", name, "' was expected");
    const auto found = object.find(name);
    if (found == object.end()) throw input_error("'", name, "' is missing");
    return *found;
}

// Refuses all other numbers, which the parser would convert.
int64_t integer_in(const json &value) {
    if (!value.is_number_integer()) throw input_error("an integer was expected, not ", value.dump());
    if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(LARGEST_INTEGER))
        throw input_error(value.dump(), " is larger than ", std::to_string(LARGEST_INTEGER));
    return value.get<int64_t>();
}

std::vector<int64_t> integers_in(const json &list) {
    std::vector<int64_t> integers;
    for (const json &value : list) integers.push_back(integer_in(value));
    return integers;
}

size_t id_of(const json &from) {
    const json &id = member(from, "id");
    if (!id.is_number_unsigned()) throw input_error("an id was expected, not ", id.dump());
    return id.get<size_t>();
}

std::vector<dim_t> numbers_of(const json &list, const char *what) {
    const std::vector<dim_t> values = integers_in(list);
    if (values.size() > JITNORM_MAX_NDIMS) throw input_error("a '", what, "' of too many dimensions");
    return values;
}

// Whether all values are known. For unknown ones oneDNN writes -1 or the smallest integer.
bool is_known(const std::vector<dim_t> &values) {
    return std::all_of(values.begin(), values.end(), [](dim_t value) { return value >= 0; });
}

graph_tensor read_tensor(const json &from) {
    graph_tensor t;
    t.id = id_of(from);
    t.type = parse_data_type(member(from, "dtype").get<std::string>());
    t.dims = numbers_of(member(from, "shape"), "shape");
    t.layout_type = value_of(LAYOUTS, from.value("layout_type", "strided"), "layout type");
    t.property = value_of(PROPERTIES, from.value("property_type", "undef"), "property type");
    if (t.layout_type == jitnorm_graph_layout_type_strided) t.strides = numbers_of(member(from, "stride"), "stride");
    t.has_shape = is_known(t.dims) && is_known(t.strides);
    if (!t.strides.empty() && t.strides.size() != t.dims.size())
        throw input_error("tensor ", std::to_string(t.id), " has not as many strides as dimensions");
    return t;
}

std::vector<graph_tensor> read_tensors(const json &op, const char *name) {
    std::vector<graph_tensor> tensors;
    for (const json &tensor : member(op, name)) tensors.push_back(read_tensor(tensor));
    return tensors;
}

graph_attribute read_attribute(const std::string &name, const json &from) {
    const std::string type = member(from, "type").get<std::string>();
    const json &value = member(from, "value");
    if (type == "bool") return value.is_number() ? integer_in(value) != 0 : value.get<bool>();
    if (type == "s64") return integer_in(value);
    if (type == "f32") return value.get<float>();
    if (type == "s64[]") return integers_in(value);
    if (type == "f32[]") return value.get<std::vector<float>>();
    if (type == "string") return value.get<std::string>();
    throw input_error("attribute '", name, "' is of the unknown type '", type, "'");
}

graph_op read_op(const json &from) {
    graph_op op;
    op.id = id_of(from);
    op.kind = member(from, "kind").get<std::string>();
    op.name = from.value("name", op.kind);
    if (from.contains("attrs"))
        for (const auto &[name, value] : member(from, "attrs").items())
            op.attributes[name] = read_attribute(name, value);
    op.inputs = read_tensors(from, "inputs");
    op.outputs = read_tensors(from, "outputs");
    return op;
}

graph_case read_graph(const json &from) {
    graph_case result;
    if (const std::string kind = from.value("engine_kind", "cpu"); kind != "cpu")
        throw input_error("a graph for the engine '", kind, "'; only cpu is supported");
    result.fpmath_mode = parse_fpmath(from.value("fpmath_mode", "strict")).mode;
    for (const json &op : member(from, "graph")) result.ops.push_back(read_op(op));
    if (result.ops.empty()) throw input_error("there is no operation");
    return result;
}

graph_attribute as_bool(const std::string &text) { return parse_bool(text); }
graph_attribute as_float(const std::string &text) { return parse_float(text); }
graph_attribute as_integer(const std::string &text) { return parse_integer(text, -LARGEST_INTEGER, LARGEST_INTEGER); }
graph_attribute as_text(const std::string &text) { return text; }

template <typename Value, graph_attribute (*PARSE)(const std::string &text)>
graph_attribute as_list(const std::string &text) {
    std::vector<Value> values;
    for (const std::string &part : split(text, 'x')) values.push_back(std::get<Value>(PARSE(part)));
    return values;
}

struct known_attribute {
    std::string_view name;
    jitnorm_graph_op_attr_t number;
    graph_attribute (*parse)(const std::string &text);
};

constexpr known_attribute ATTRIBUTES[] = {
    {"alpha", jitnorm_graph_op_attr_alpha, as_float},
    {"auto_broadcast", jitnorm_graph_op_attr_auto_broadcast, as_text},
    {"axis", jitnorm_graph_op_attr_axis, as_integer},
    {"begin_norm_axis", jitnorm_graph_op_attr_begin_norm_axis, as_integer},
    {"beta", jitnorm_graph_op_attr_beta, as_float},
    {"epsilon", jitnorm_graph_op_attr_epsilon, as_float},
    {"keep_stats", jitnorm_graph_op_attr_keep_stats, as_bool},
    {"max", jitnorm_graph_op_attr_max, as_float},
    {"min", jitnorm_graph_op_attr_min, as_float},
    {"mode", jitnorm_graph_op_attr_mode, as_text},
    {"output_mask", jitnorm_graph_op_attr_output_mask, as_list<int64_t, as_integer>},
    {"qtype", jitnorm_graph_op_attr_qtype, as_text},
    {"scales", jitnorm_graph_op_attr_scales, as_list<float, as_float>},
    {"use_affine", jitnorm_graph_op_attr_use_affine, as_bool},
    {"zps", jitnorm_graph_op_attr_zps, as_list<int64_t, as_integer>},
};

const known_attribute &attribute_named(const std::string &name) {
    if (const known_attribute *known = find_named(ATTRIBUTES, name)) return *known;
    throw input_error("no operation here has an attribute '", name, "'");
}

} // namespace

std::set<size_t> graph_case::written() const {
    std::set<size_t> ids;
    for (const graph_op &op : ops)
        for (const graph_tensor &t : op.outputs) ids.insert(t.id);
    return ids;
}

std::set<size_t> graph_case::boundaries() const {
    std::set<size_t> outputs = written(), inputs, result;
    for (const graph_op &op : ops)
        for (const graph_tensor &t : op.inputs) inputs.insert(t.id);
    std::set_symmetric_difference(inputs.begin(), inputs.end(), outputs.begin(), outputs.end(),
                                  std::inserter(result, result.end()));
    return result;
}

graph_case parse_graph(const std::string &json_text) {
    try {
        return read_graph(json::parse(json_text));
    } catch (const json::exception &error) {
        throw input_error("not a serialized graph: ", error.what());
    }
}

jitnorm_graph_op_attr_t graph_attribute_name(const std::string &name) { return attribute_named(name).number; }

graph_attribute parse_graph_attribute(const std::string &name, const std::string &text) {
    return attribute_named(name).parse(text);
}

} // namespace benchdnn_lite
