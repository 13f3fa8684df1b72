// SPDX-License-Identifier: Apache-2.0
// Reads and writes --attr-residual and --attr-pre-quantization, in the style of benchdnn's attributes. (attributes.cpp
// has the others.)
#include "../error.hpp"
#include "../text.hpp"
#include "attributes.hpp"
#include "tag.hpp"

namespace benchdnn_lite {

namespace {

void require_at_most(const std::vector<std::string> &fields, size_t most) {
    if (fields.size() > most) throw input_error("'", fields[0], "' has too many fields");
}

residual_tensor parse_tensor(const std::vector<std::string> &fields) {
    require_at_most(fields, 3);
    residual_tensor tensor;
    if (fields.size() > 1) tensor.type = parse_data_type(fields[1]);
    if (fields.size() > 2) {
        check_tag_name(fields[2], false);
        tensor.tag = fields[2];
    }
    return tensor;
}

data_type parse_bias(const std::vector<std::string> &fields) {
    require_at_most(fields, 2);
    return fields.size() > 1 ? parse_data_type(fields[1]) : jitnorm_f32;
}

template <typename Value>
void set_once(std::optional<Value> &to, const std::vector<std::string> &fields, Value value) {
    if (to) throw input_error("'", fields[0], "' is there twice");
    to = value;
}

std::string text_of(std::string_view name, const residual_tensor &tensor) {
    const bool is_typed = tensor.type != jitnorm_data_type_undef;
    if (!is_typed) return std::string(name);
    return concat(name, ":", name_of(tensor.type), tensor.tag.empty() ? "" : ":", tensor.tag);
}

} // namespace

residual_addition parse_residual(std::string_view text) {
    residual_addition residual;
    if (text.empty()) return residual;
    for (const std::string &part : split(text, '+')) {
        const std::vector<std::string> fields = split(part, ':');
        if (fields[0] == "src1")
            set_once(residual.added, fields, parse_tensor(fields));
        else if (fields[0] == "dst1")
            set_once(residual.sum, fields, parse_tensor(fields));
        else if (fields[0] == "bias")
            set_once(residual.bias, fields, parse_bias(fields));
        else if (part == "rounded")
            residual.rounded = true;
        else
            throw input_error("'", part, "' is none of src1, dst1, bias, rounded");
    }
    if (!residual.added && !residual.sum) throw input_error("there is neither src1 nor dst1");
    if (residual.rounded && !residual.sum) throw input_error("'rounded' needs dst1");
    return residual;
}

std::optional<residual_tensor> parse_pre_quantization(std::string_view text) {
    if (text.empty()) return std::nullopt;
    const std::vector<std::string> fields = split(text, ':');
    if (fields[0] != "dst2") throw input_error("'", text, "' is not dst2");
    return parse_tensor(fields);
}

std::string to_text(const std::optional<residual_tensor> &pre_quantization) {
    return pre_quantization ? text_of("dst2", *pre_quantization) : "";
}

std::string to_text(const residual_addition &residual) {
    std::string text;
    const auto add = [&](const std::string &part) { text += (text.empty() ? "" : "+") + part; };
    if (residual.added) add(text_of("src1", *residual.added));
    if (residual.sum) add(text_of("dst1", *residual.sum));
    if (residual.bias) add(concat("bias:", name_of(*residual.bias)));
    if (residual.rounded) add("rounded");
    return text;
}

} // namespace benchdnn_lite
