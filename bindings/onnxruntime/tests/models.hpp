// SPDX-License-Identifier: Apache-2.0
// Blocks of transformers with random weights, as PyTorch's exporter writes them: [batch, sequence, hidden], of which
// the first two are open.
#pragma once

#include <cmath>

#include "support.hpp"

namespace support {

struct transformer {
    int64_t hidden = 768, heads = 12, inner = 3072;
    int layers = 1;
};

class transformer_builder {
public:
    explicit transformer_builder(const transformer &shape) : shape_(shape) {
        const int64_t head = shape.hidden / shape.heads;
        constant("to_heads", {0, 0, shape.heads, head});
        constant("from_heads", {0, 0, shape.hidden});
        made_.weights["root"] = tensor(F32, {}, {std::sqrt(double(head))});
        made_.inputs = {{"x", F32, {-1, -1, shape.hidden}, {"batch", "sequence", ""}}};
    }

    std::string op(const char *name, std::vector<std::string> inputs,
                   std::map<std::string, attribute> attributes = {}) {
        const std::string output = fresh();
        made_.nodes.push_back({"", name, std::move(inputs), {output}, std::move(attributes)});
        return output;
    }

    std::string weight(dims shape, double mean = 0, double spread = 0.02) {
        const std::string name = fresh();
        made_.weights[name] = random(F32, shape, ++seed_, mean, spread);
        return name;
    }

    std::string linear(const std::string &x, int64_t from, int64_t to, bool bias) {
        const std::string product = op("MatMul", {x, weight({from, to})});
        return bias ? op("Add", {product, weight({to})}) : product;
    }

    std::string heads_of(const std::string &x, bool bias, std::vector<int64_t> order) {
        const std::string split = op("Reshape", {linear(x, shape_.hidden, shape_.hidden, bias), "to_heads"});
        return op("Transpose", {split}, {{"perm", std::move(order)}});
    }

    // Tokens whose mask is 0 are not attended to. The result is added to the scores.
    std::string mask() {
        made_.inputs.push_back({"mask", I64, {-1, -1}, {"batch", "sequence"}});
        constant("heads_axis", {1});
        constant("rows_axis", {2});
        made_.weights["present"] = tensor(F32, {}, {1.});
        made_.weights["absent"] = tensor(F32, {}, {-10000.});
        const std::string spread = op("Unsqueeze", {op("Unsqueeze", {"mask", "heads_axis"}), "rows_axis"});
        return op("Mul", {op("Sub", {"present", op("Cast", {spread}, {{"to", int64_t(F32)}})}), "absent"});
    }

    std::string attention(const std::string &x, bool bias, const std::string &mask = "") {
        const std::string query = heads_of(x, bias, {0, 2, 1, 3}), key = heads_of(x, bias, {0, 2, 3, 1});
        const std::string value = heads_of(x, bias, {0, 2, 1, 3});
        std::string scores = op("Div", {op("MatMul", {query, key}), "root"});
        if (!mask.empty()) scores = op("Add", {scores, mask});
        const std::string weighted = op("MatMul", {op("Softmax", {scores}, {{"axis", int64_t(-1)}}), value});
        const std::string joined =
            op("Reshape", {op("Transpose", {weighted}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}), "from_heads"});
        return linear(joined, shape_.hidden, shape_.hidden, bias);
    }

    std::string layer_norm(const std::string &x) {
        return op("LayerNormalization", {x, weight({shape_.hidden}, 1), weight({shape_.hidden})},
                  {{"axis", int64_t(-1)}, {"epsilon", 1e-12f}});
    }

    std::string rms_norm(const std::string &x) {
        return op("SimplifiedLayerNormalization", {x, weight({shape_.hidden}, 1)},
                  {{"axis", int64_t(-1)}, {"epsilon", 1e-6f}});
    }

    // Erf makes it the exact one.
    std::string gelu(const std::string &x) {
        made_.weights["sqrt2"] = tensor(F32, {}, {std::sqrt(2.)});
        made_.weights["one"] = tensor(F32, {}, {1.});
        made_.weights["half"] = tensor(F32, {}, {0.5});
        const std::string erf = op("Erf", {op("Div", {x, "sqrt2"})});
        return op("Mul", {op("Mul", {x, op("Add", {erf, "one"})}), "half"});
    }

    std::string silu(const std::string &x) { return op("Mul", {x, op("Sigmoid", {x})}); }

    model finish(const std::string &output) {
        made_.outputs = {{output, F32, {-1, -1, shape_.hidden}}};
        return std::move(made_);
    }

private:
    std::string fresh() { return "v" + std::to_string(++names_); }
    void constant(const char *name, const std::vector<int64_t> &values) {
        made_.weights[name] = tensor::copy_of(I64, {int64_t(values.size())}, values.data());
    }

    transformer shape_;
    model made_;
    int names_ = 0;
    unsigned seed_ = 100;
};

// Normalization of the embeddings, then after each residual: x = norm(x + attention(x)), x = norm(x + perceptron(x)).
inline model bert(const transformer &shape) {
    transformer_builder b(shape);
    const std::string mask = b.mask();
    std::string x = b.layer_norm("x");
    for (int layer = 0; layer < shape.layers; ++layer) {
        x = b.layer_norm(b.op("Add", {b.attention(x, true, mask), x}));
        const std::string inner = b.gelu(b.linear(x, shape.hidden, shape.inner, true));
        x = b.layer_norm(b.op("Add", {b.linear(inner, shape.inner, shape.hidden, true), x}));
    }
    return b.finish(x);
}

// Normalization before each part: x = x + attention(norm(x)), x = x + perceptron(norm(x)), and one at the end. Without
// rotations, which are nodes of their own.
inline model llama(const transformer &shape) {
    transformer_builder b(shape);
    std::string x = "x", normalized = b.rms_norm(x);
    for (int layer = 0; layer < shape.layers; ++layer) {
        x = b.op("Add", {x, b.attention(normalized, false)});
        normalized = b.rms_norm(x);
        const std::string gate = b.silu(b.linear(normalized, shape.hidden, shape.inner, false));
        const std::string product = b.op("Mul", {gate, b.linear(normalized, shape.hidden, shape.inner, false)});
        x = b.op("Add", {x, b.linear(product, shape.inner, shape.hidden, false)});
        normalized = b.rms_norm(x);
    }
    return b.finish(normalized);
}

// What the two read.
inline tensors inputs_of_model(const transformer &shape, int64_t batch, int64_t sequence, bool masked) {
    tensors inputs = {{"x", random(F32, {batch, sequence, shape.hidden}, 1)}};
    if (masked) inputs["mask"] = tensor(I64, {batch, sequence}, std::vector<double>(size_t(batch * sequence), 1.));
    return inputs;
}

} // namespace support
