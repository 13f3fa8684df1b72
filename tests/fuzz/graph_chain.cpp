// SPDX-License-Identifier: Apache-2.0
#include "graph_target.hpp"

namespace jitnorm::fuzz {

namespace {

constexpr size_t FIRST_OP = 20, FIRST_TENSOR = 200;

constexpr const char *FOLLOWERS[] = {"GELU",     "Multiply", "TypeCast", "Quantize", "ReLU",      "Add",
                                     "TypeCast", "Quantize", "Tanh",     "Divide",   "Abs",       "Subtract",
                                     "Sqrt",     "Maximum",  "Sigmoid",  "Minimum",  "HardSwish", "Round"};

// What often follows a normalization: AdaLN and a gate.
constexpr const char *MODULATIONS[] = {"Multiply", "Add"};

class chain {
public:
    chain(byte_stream &choices, graph_choice &what) : choices_(choices), what_(what) {}

    void add_before() {
        const logical_tensor sum = what_.first_input, one = tensor(sum.data_type), other = operand(sum.data_type);
        const bool is_second = choices_.coin();
        make("Add", {is_second ? other : one, is_second ? one : other}, sum);
        what_.inputs.push_back(one);
        if (choices_.coin()) what_.outputs.push_back(what_.inputs[0]); // compilation may have it among its outputs
    }

    void append(const std::vector<const char *> &followers) {
        for (const char *kind : followers) {
            follow(kind);
            what_.outputs.push_back(value_);
        }
    }

    std::vector<graph_op> take() { return std::move(ops_); }

private:
    logical_tensor tensor(jitnorm_data_type_t type, const sizes &dims) {
        logical_tensor t = {};
        jitnorm_graph_logical_tensor_init_with_dims(&t, next_tensor_++, type, int32_t(dims.size()), dims.data(),
                                                    jitnorm_graph_layout_type_strided,
                                                    jitnorm_graph_tensor_property_undef);
        make_hostile(choices_, t);
        return t;
    }
    logical_tensor tensor(jitnorm_data_type_t type) { return tensor(type, what_.dims); }

    // With dimensions left out at the front, and ones.
    logical_tensor operand(jitnorm_data_type_t type) {
        sizes dims = what_.dims;
        if (choices_.one_in(3)) dims.erase(dims.begin(), dims.begin() + ptrdiff_t(choices_.below(dims.size())));
        for (int64_t &dim : dims)
            if (choices_.one_in(4)) dim = 1;
        what_.inputs.push_back(tensor(type, dims));
        return what_.inputs.back();
    }

    jitnorm_graph_op_t make(const char *kind, const std::vector<logical_tensor> &inputs, const logical_tensor &output) {
        benchdnn_lite::graph_op &link = what_.links.emplace_back();
        link.id = next_op_++;
        link.kind = kind;
        const auto &op = ops_.emplace_back(tests::make_owned<graph_op>(
            "an op can be made", jitnorm_graph_op_create, link.id, benchdnn_lite::graph_kind(kind), "linked"));
        bool is_taken = jitnorm_graph_op_add_output(op, &output) == jitnorm_success;
        for (const logical_tensor &t : inputs) {
            is_taken = jitnorm_graph_op_add_input(op, &t) == jitnorm_success && is_taken;
            link.inputs.push_back(mention(t));
        }
        link.outputs.push_back(mention(output));
        what_.is_ordinary = what_.is_ordinary && is_taken;
        return op;
    }

    void apply(const char *kind, jitnorm_data_type_t to) {
        const logical_tensor result = tensor(to);
        last_ = make(kind, {value_}, result);
        value_ = result;
    }

    void combine(const char *kind) {
        const logical_tensor other = operand(choices_.one_in(4) ? jitnorm_f32 : value_.data_type);
        const bool is_second = choices_.one_in(4);
        const logical_tensor factor = choices_.coin() ? silu_of(other) : other;
        const logical_tensor result = tensor(other.data_type == jitnorm_f32 ? jitnorm_f32 : value_.data_type);
        make(kind, {is_second ? factor : value_, is_second ? value_ : factor}, result);
        value_ = result;
    }

    // z * Sigmoid(z), which is an input of the partition if it is computed elsewhere.
    logical_tensor silu_of(const logical_tensor &z) {
        logical_tensor sigmoid = z, product = z;
        sigmoid.id = next_tensor_++;
        product.id = next_tensor_++;
        make("Sigmoid", {z}, sigmoid);
        make("Multiply", {z, sigmoid}, product);
        what_.inputs.push_back(product);
        return product;
    }

    void quantize() {
        constexpr jitnorm_data_type_t TYPES[] = {jitnorm_s8, jitnorm_u8, jitnorm_f8_e4m3, jitnorm_f8_e5m2};
        constexpr float SCALES[] = {0.5F, 0.1F, 3, 1e-38F};
        constexpr int64_t ZERO_POINTS[] = {0, 1, -128, int64_t(1) << 30};
        const jitnorm_data_type_t to = choices_.pick(TYPES);
        const float scale = choices_.pick(SCALES);
        const int64_t zero_point = choices_.pick(ZERO_POINTS);
        apply("Quantize", to);
        jitnorm_graph_op_set_attr_f32(last_, jitnorm_graph_op_attr_scales, &scale, 1);
        what_.links.back().attributes["scales"] = std::vector<float>{scale};
        if (to != jitnorm_s8 && to != jitnorm_u8) return;
        jitnorm_graph_op_set_attr_s64(last_, jitnorm_graph_op_attr_zps, &zero_point, 1);
        what_.links.back().attributes["zps"] = std::vector<int64_t>{zero_point};
    }

    void follow(const char *kind) {
        constexpr jitnorm_data_type_t CASTS[] = {jitnorm_f32, jitnorm_bf16, jitnorm_f16};
        switch (benchdnn_lite::graph_kind(kind)) {
        case jitnorm_graph_op_add:
        case jitnorm_graph_op_divide:
        case jitnorm_graph_op_maximum:
        case jitnorm_graph_op_minimum:
        case jitnorm_graph_op_multiply:
        case jitnorm_graph_op_subtract:
            return combine(kind);
        case jitnorm_graph_op_type_cast:
            return apply(kind, choices_.pick(CASTS));
        case jitnorm_graph_op_quantize:
            return quantize();
        default:
            return apply(kind, value_.data_type);
        }
    }

    byte_stream &choices_;
    graph_choice &what_;
    logical_tensor value_ = what_.first_output; // the result of the last operation
    jitnorm_graph_op_t last_ = nullptr;
    std::vector<graph_op> ops_;
    size_t next_op_ = FIRST_OP, next_tensor_ = FIRST_TENSOR;
};

} // namespace

surroundings choose_surroundings(byte_stream &choices) {
    surroundings chosen;
    chosen.is_in_graph = choices.below(4) != 0;
    if (!chosen.is_in_graph) return chosen;
    chosen.has_addition = choices.one_in(3);
    chosen.has_second = choices.one_in(4);
    chosen.followers.resize(choices.below(5));
    for (const char *&kind : chosen.followers) kind = choices.pick(FOLLOWERS);
    if (choices.coin()) chosen.followers.insert(chosen.followers.begin(), MODULATIONS, std::end(MODULATIONS));
    return chosen;
}

std::vector<graph_op> choose_chain(byte_stream &choices, const surroundings &around, graph_choice &what) {
    if (what.inputs.empty() || what.outputs.empty() || what.dims.empty()) return {};
    chain made(choices, what);
    if (around.has_addition) made.add_before();
    made.append(around.followers);
    return made.take();
}

} // namespace jitnorm::fuzz
