// SPDX-License-Identifier: Apache-2.0
#include "graph_target.hpp"

#include <limits>

namespace jitnorm::fuzz {

namespace {

// The common properties of an operation's tensors.
struct op_rules {
    sizes dims;
    size_t normalized; // the last so many dimensions
    jitnorm_data_type_t type, affine_type;

    sizes columns() const { return {dims.end() - ptrdiff_t(normalized), dims.end()}; }
    sizes rows(bool with_ones) const {
        sizes result(dims.begin(), dims.end() - ptrdiff_t(normalized));
        if (with_ones) result.resize(dims.size(), 1);
        return result;
    }
};

void fill_in(byte_stream &choices, logical_tensor &t, size_t id, const sizes &dims, jitnorm_data_type_t type) {
    constexpr auto STRIDED = jitnorm_graph_layout_type_strided, ANY = jitnorm_graph_layout_type_any;
    constexpr auto PROPERTY = jitnorm_graph_tensor_property_undef;
    const sizes strides = choose_strides(choices, dims);
    const auto rank = int32_t(dims.size());
    jitnorm_status_t status = jitnorm_success;
    const size_t way = choices.below(32);
    if (way < 20)
        status = jitnorm_graph_logical_tensor_init_with_dims(&t, id, type, rank, dims.data(), STRIDED, PROPERTY);
    else if (way < 30)
        status =
            jitnorm_graph_logical_tensor_init_with_strides(&t, id, type, rank, dims.data(), strides.data(), PROPERTY);
    else if (way == 30)
        status = jitnorm_graph_logical_tensor_init_with_dims(&t, id, type, rank, dims.data(), ANY, PROPERTY);
    else
        status = jitnorm_graph_logical_tensor_init(&t, id, type, choices.coin() ? rank : -1, STRIDED, PROPERTY);
    require(status == jitnorm_success || status == jitnorm_invalid_arguments, "a tensor is described or refused");
    make_hostile(choices, t);
}

logical_tensor describe(byte_stream &choices, size_t id, const sizes &dims, jitnorm_data_type_t type) {
    logical_tensor t = {};
    t.id = id;
    fill_in(choices, t, choices.hostile() ? choices.below(4) : id, dims, type);
    return t;
}

op_rules choose_rules(byte_stream &choices) {
    constexpr jitnorm_data_type_t TYPES[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
    op_rules rules;
    const size_t rank = choices.hostile() ? choices.below(JITNORM_MAX_NDIMS + 1)
                                          : 1 + choices.below(1 + choices.below(8)); // mostly few: tensors are small
    rules.dims = choose_dims(choices, rank);
    rules.normalized = rank == 0 ? 0 : 1 + (choices.one_in(4) ? choices.below(rank) : 0);
    const auto any_type = [&] { return jitnorm_data_type_t(choices.hostile() ? int(choices.below(9)) : 3); };
    rules.type = choices.hostile() ? any_type() : choices.pick(TYPES);
    rules.affine_type = rules.type == jitnorm_bf16 && choices.coin() ? jitnorm_bf16 : any_type();
    return rules;
}

// Which tensors an operation has, in its order: of the rows' data, statistics, or columns.
enum class shape { data, statistics, columns };

struct ports {
    std::vector<shape> inputs, outputs;
};

ports ports_of(byte_stream &choices, jitnorm_graph_op_kind_t kind) {
    using enum shape;
    ports p;
    if (kind == jitnorm_graph_op_layer_norm)
        p = {{data, columns, columns}, {data, statistics, statistics}};
    else if (kind == jitnorm_graph_op_rms_norm)
        p = {{data, columns}, {data}};
    else if (kind == jitnorm_graph_op_layer_norm_grad)
        p = {{data, data, statistics, statistics, columns}, {data, columns, columns}};
    else
        p = {{data, data, statistics, statistics, columns, columns}, {data, columns, columns}};
    if (p.inputs.size() <= 3 && choices.one_in(4)) p.inputs.resize(1); // forward without gamma and beta
    for (std::vector<shape> *list : {&p.inputs, &p.outputs}) {
        if (choices.one_in(16)) list->resize(choices.below(list->size() + 1));
        if (choices.hostile()) list->push_back(shape(choices.below(3)));
    }
    return p;
}

void set_hostile_attribute(byte_stream &choices, jitnorm_graph_op_t op) {
    constexpr jitnorm_graph_op_attr_t NAMES[] = {
        jitnorm_graph_op_attr_epsilon,    jitnorm_graph_op_attr_begin_norm_axis, jitnorm_graph_op_attr_use_affine,
        jitnorm_graph_op_attr_keep_stats, jitnorm_graph_op_attr_output_mask,     jitnorm_graph_op_attr_data_format,
        jitnorm_graph_op_attr_axes,       jitnorm_graph_op_attr_scales};
    const auto name = choices.one_in(8) ? jitnorm_graph_op_attr_t(int(choices.number())) : choices.pick(NAMES);
    const size_t count = choices.below(5);
    const std::vector<float> floats(count, std::numeric_limits<float>::quiet_NaN());
    const std::vector<int64_t> integers(count, hostile_number(choices));
    const std::vector<uint8_t> booleans(count, choices.byte());
    const std::string text(count, 'x');
    switch (choices.below(4)) {
    case 0:
        jitnorm_graph_op_set_attr_f32(op, name, floats.data(), count);
        break;
    case 1:
        jitnorm_graph_op_set_attr_s64(op, name, integers.data(), count);
        break;
    case 2:
        jitnorm_graph_op_set_attr_bool(op, name, booleans.data(), count);
        break;
    default:
        jitnorm_graph_op_set_attr_str(op, name, text.c_str(), count);
    }
}

void set_attributes(byte_stream &choices, graph_choice &what, jitnorm_graph_op_t op, int64_t axis) {
    what.epsilon = choices.coin() ? 1e-5F : 0;
    jitnorm_graph_op_set_attr_f32(op, jitnorm_graph_op_attr_epsilon, &what.epsilon, 1);
    if (what.kind == jitnorm_graph_op_layer_norm_grad) {
        for (int64_t &is_wanted : what.output_mask) is_wanted = choices.one_in(4) ? 0 : 1;
        jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_output_mask, what.output_mask, 3);
    } else {
        jitnorm_graph_op_set_attr_s64(op, jitnorm_graph_op_attr_begin_norm_axis, &axis, 1);
        const uint8_t affine = !choices.one_in(8), statistics = what.outputs.size() > 1;
        if (what.kind != jitnorm_graph_op_rms_norm)
            jitnorm_graph_op_set_attr_bool(op, jitnorm_graph_op_attr_use_affine, &affine, 1);
        what.has_affine = affine != 0 || what.kind == jitnorm_graph_op_rms_norm;
        if (what.kind == jitnorm_graph_op_layer_norm)
            jitnorm_graph_op_set_attr_bool(op, jitnorm_graph_op_attr_keep_stats, &statistics, 1);
    }
    if (!choices.hostile()) return;
    what.is_ordinary = false;
    set_hostile_attribute(choices, op);
}

// The description for the operation: as compilation has it, or with unknown shapes and layouts.
logical_tensor for_op(byte_stream &choices, bool is_all_known, const logical_tensor &known) {
    logical_tensor t = known;
    if (is_all_known || choices.coin()) return t;
    jitnorm_graph_logical_tensor_init(&t, known.id, known.data_type, JITNORM_GRAPH_UNKNOWN_NDIMS,
                                      jitnorm_graph_layout_type_strided, known.property);
    return t;
}

} // namespace

benchdnn_lite::graph_tensor mention(const logical_tensor &t) {
    benchdnn_lite::graph_tensor result;
    result.id = t.id;
    result.type = t.data_type;
    if (t.ndims >= 0 && t.ndims <= JITNORM_MAX_NDIMS) result.dims.assign(t.dims, t.dims + t.ndims);
    return result;
}

void make_hostile(byte_stream &choices, logical_tensor &t) {
    if (!choices.hostile()) return;
    switch (choices.below(6)) {
    case 0:
        t.ndims = int(hostile_number(choices));
        break;
    case 1:
        t.ndims = int(choices.below(16));
        break;
    case 2:
        t.dims[choices.below(4)] = hostile_number(choices);
        break;
    case 3:
        t.layout.strides[choices.below(4)] = hostile_number(choices);
        break;
    case 4:
        t.data_type = jitnorm_data_type_t(int(choices.below(12)) - 2);
        break;
    default:
        t.layout_type = jitnorm_graph_layout_type_t(int(choices.below(6)) - 1);
    }
}

graph_choice choose_operation(byte_stream &choices, size_t first_id) {
    constexpr const char *KINDS[] = {"LayerNorm", "RMSNorm",           "LayerNorm",         "RMSNorm",
                                     "LayerNorm", "LayerNormBackward", "LayerNormBackprop", "LayerNormGrad"};
    graph_choice what;
    what.is_ordinary = !choices.hostile();
    if (what.is_ordinary) what.name = choices.pick(KINDS);
    what.kind =
        what.is_ordinary ? benchdnn_lite::graph_kind(what.name) : jitnorm_graph_op_kind_t(int(choices.number()));
    const op_rules rules = choose_rules(choices);
    what.normalized = rules.normalized;
    what.dims = rules.dims;
    const ports p = ports_of(choices, what.kind);
    const auto described = [&](shape s) {
        const size_t id = first_id++;
        if (s == shape::data) return describe(choices, id, rules.dims, rules.type);
        const sizes dims = s == shape::columns ? rules.columns() : rules.rows(choices.coin());
        return describe(choices, id, dims, rules.affine_type);
    };
    for (const shape s : p.inputs) what.inputs.push_back(described(s));
    for (const shape s : p.outputs) what.outputs.push_back(described(s));
    what.input_ports = p.inputs.size();
    what.output_ports = p.outputs.size();
    return what;
}

graph_op make_op(byte_stream &choices, graph_choice &what, size_t id) {
    auto op = tests::make_owned<graph_op>("an operation can be made", jitnorm_graph_op_create, id, what.kind, "op");
    what.op = id;
    const bool is_all_known = !choices.one_in(4);
    const auto tell = [&](const auto &add, const std::vector<logical_tensor> &tensors, logical_tensor &first) {
        for (const logical_tensor &t : tensors) {
            const logical_tensor told = for_op(choices, is_all_known, t);
            what.is_ordinary = add(op, &told) == jitnorm_success && what.is_ordinary;
            if (&t == &tensors.front()) first = told;
        }
    };
    tell(jitnorm_graph_op_add_input, what.inputs, what.first_input);
    tell(jitnorm_graph_op_add_output, what.outputs, what.first_output);
    const int64_t axis = -int64_t(what.normalized), told = choices.hostile() ? hostile_number(choices) : axis;
    what.is_ordinary = told == axis && what.is_ordinary;
    set_attributes(choices, what, op, told);
    return op;
}

bool is_small(const logical_tensor &t) {
    size_t bytes = 0;
    if (jitnorm_graph_logical_tensor_get_mem_size(&t, &bytes) != jitnorm_success || bytes > MOST_BYTES) return false;
    if (t.ndims < 0 || t.ndims > JITNORM_MAX_NDIMS) return false;
    return count_up_to({t.dims, t.dims + t.ndims}, MOST_ELEMENTS) >= 0;
}

} // namespace jitnorm::fuzz
