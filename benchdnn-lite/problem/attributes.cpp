// SPDX-License-Identifier: Apache-2.0
// Reads and writes the attributes in benchdnn's syntax.
#include "attributes.hpp"

#include <limits>

#include "../error.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "tag.hpp"

namespace benchdnn_lite {

namespace {

struct named_algorithm {
    std::string_view name;
    jitnorm_alg_kind_t algorithm;
};

constexpr named_algorithm ELTWISES[] = {
#define ELTWISE(name, number) {#name, jitnorm_eltwise_##name},
#include "../../tables/eltwise.inc"
};

constexpr named_algorithm BINARIES[] = {
#define BINARY(name, number) {#name, jitnorm_binary_##name},
#include "../../tables/binary.inc"
};

struct named_mask {
    std::string_view name;
    unsigned mask;
};

constexpr unsigned ALL_DIMENSIONS = (1u << JITNORM_MAX_NDIMS) - 1;
constexpr named_mask MASKS[] = {
    {"common", 0},       {"per_oc", 1u << 1},    {"per_dim_0", 1u << 0},         {"per_dim_1", 1u << 1},
    {"per_dim_01", 3u},  {"per_dim_2", 1u << 2}, {"per_dim_3", 1u << 3},         {"per_dim_023", 13u},
    {"per_dim_23", 12u}, {"per_dim_03", 9u},     {"per_tensor", ALL_DIMENSIONS},
};

template <size_t N>
const named_algorithm *find(const named_algorithm (&table)[N], std::string_view name) {
    for (const named_algorithm &entry : table)
        if (equal_but_for_case(entry.name, name)) return &entry;
    return nullptr;
}

template <size_t N>
std::string_view name_in(const named_algorithm (&table)[N], jitnorm_alg_kind_t algorithm) {
    for (const named_algorithm &entry : table)
        if (entry.algorithm == algorithm) return entry.name;
    throw std::logic_error("algorithm without a name");
}

// `form` has the fields that follow the name, those in brackets may be missing.
void require_fields(const std::vector<std::string> &fields, size_t least, size_t most, std::string_view form) {
    const char *wrong = fields.size() < least  ? "needs more fields"
                        : fields.size() > most ? "has too many fields"
                                               : nullptr;
    if (wrong != nullptr) throw input_error("'", fields[0], "' ", wrong, ": ", fields[0], form);
}

unsigned parse_mask(const std::string &text) {
    if (const named_mask *known = find_named(MASKS, text)) return known->mask;
    if (!text.empty() && text.find_first_not_of("0123456789") == text.npos)
        return unsigned(parse_integer(text, 0, ALL_DIMENSIONS));
    throw input_error("unknown policy '", text, "'", known_text(names_in(MASKS)));
}

sum_post_op parse_sum(const std::vector<std::string> &fields) {
    require_fields(fields, 1, 4, "[:SCALE[:ZERO_POINT[:TYPE]]]");
    sum_post_op op;
    if (fields.size() > 1) op.scale = parse_float(fields[1]);
    if (fields.size() > 2) op.zero_point = int(parse_integer(fields[2], INT32_MIN, INT32_MAX));
    if (fields.size() > 3) op.type = parse_data_type(fields[3]);
    return op;
}

eltwise_post_op parse_eltwise(jitnorm_alg_kind_t algorithm, const std::vector<std::string> &fields) {
    require_fields(fields, 1, 3, "[:ALPHA[:BETA]]");
    eltwise_post_op op{algorithm, 0, 0};
    if (fields.size() > 1) op.alpha = parse_float(fields[1]);
    if (fields.size() > 2) op.beta = parse_float(fields[2]);
    return op;
}

binary_post_op parse_binary(jitnorm_alg_kind_t algorithm, const std::vector<std::string> &fields) {
    require_fields(fields, 2, 4, ":TYPE[:POLICY[:TAG]]");
    binary_post_op op;
    op.algorithm = algorithm;
    op.type = parse_data_type(fields[1]);
    op.mask_text = fields.size() > 2 ? fields[2] : "common";
    op.mask = parse_mask(op.mask_text);
    if (fields.size() > 3) op.tag = parse_tag(fields[3]);
    return op;
}

bool is_post_op(std::string_view name) {
    return name == "sum" || find(ELTWISES, name) != nullptr || find(BINARIES, name) != nullptr;
}

post_op parse_post_op(std::string_view text) {
    for (const char separator : {':', ';'}) {
        const std::vector<std::string> parts = split(text, separator);
        for (size_t i = 1; i < parts.size(); ++i)
            if (is_post_op(parts[i].substr(0, parts[i].find(':'))))
                throw input_error("'", text, "': post-ops are joined by +, not by ", std::string(1, separator));
    }
    const std::vector<std::string> fields = split(text, ':');
    if (fields[0] == "sum") return parse_sum(fields);
    if (const named_algorithm *entry = find(ELTWISES, fields[0])) return parse_eltwise(entry->algorithm, fields);
    if (const named_algorithm *entry = find(BINARIES, fields[0])) return parse_binary(entry->algorithm, fields);
    std::vector<std::string> known = names_in(ELTWISES, BINARIES);
    known.emplace_back("sum");
    throw input_error("unknown post-op '", fields[0], "'", closest_or_known(fields[0], known));
}

// Appends ":field".
void add_field(std::string &text, std::string_view field) { text.append(1, ':').append(field); }

std::string text_of(const sum_post_op &op) {
    std::string text = "sum";
    const bool typed = op.type != jitnorm_data_type_undef, shifted = typed || op.zero_point != 0;
    if (shifted || op.scale != 1) add_field(text, to_text(op.scale));
    if (shifted) add_field(text, std::to_string(op.zero_point));
    if (typed) add_field(text, name_of(op.type));
    return text;
}

std::string text_of(const eltwise_post_op &op) {
    std::string text(name_in(ELTWISES, op.algorithm));
    if (op.alpha != 0 || op.beta != 0) add_field(text, to_text(op.alpha));
    if (op.beta != 0) add_field(text, to_text(op.beta));
    return text;
}

std::string text_of(const binary_post_op &op) {
    std::string text(name_in(BINARIES, op.algorithm));
    add_field(text, name_of(op.type));
    add_field(text, op.mask_text);
    if (!op.tag.empty()) add_field(text, op.tag);
    return text;
}

constexpr std::string_view FPMATH_MODES[] = {"strict", "bf16", "f16", "any",
                                             "tf32"}; // in the order of their enumerators

constexpr std::string_view FOUND_FORM = "ARGUMENT:per_row[:f32[:dynamic_amax]] or "
                                        "ARGUMENT:per_tensor:f32:1xCOLUMNS[:dynamic_amax]";

bool are_found(const std::vector<std::string> &fields) {
    return fields.size() > 1 && (fields[1] == "per_row" || fields[1] == "per_tensor");
}

// dst:per_row:f32:dynamic_amax or dst:per_tensor:f32:1x128:dynamic_amax. The last fields may be missing: f32 after
// per_row, and dynamic_amax.
dynamic_scales parse_found(const std::string &part, const std::vector<std::string> &fields) {
    const bool grouped = fields[1] == "per_tensor";
    const size_t mode = grouped ? 4 : 3;
    if (fields.size() > mode + 1 || (grouped && fields.size() < 4) || (fields.size() > 2 && fields[2] != "f32") ||
        (fields.size() > mode && fields[mode] != "dynamic_amax"))
        throw input_error("scales '", part, "' are not of the form ", FOUND_FORM);
    if (fields[0] != "dst") throw input_error("dynamic scales are for dst, not for ", fields[0]);
    if (!grouped) return {};
    if (!fields[3].starts_with("1x")) throw input_error("groups '", fields[3], "' are not of the form 1xCOLUMNS");
    return {parse_integer(fields[3].substr(2), 1, std::numeric_limits<dim_t>::max())};
}

residual_tensor parse_tensor(const std::vector<std::string> &fields) {
    require_fields(fields, 1, 3, "[:TYPE[:TAG]]");
    residual_tensor tensor;
    if (fields.size() > 1) tensor.type = parse_data_type(fields[1]);
    if (fields.size() > 2) tensor.tag = parse_tag(fields[2]);
    return tensor;
}

data_type parse_bias(const std::vector<std::string> &fields) {
    require_fields(fields, 1, 2, "[:TYPE]");
    return fields.size() > 1 ? parse_data_type(fields[1]) : jitnorm_f32;
}

template <typename Value>
void set_once(std::optional<Value> &to, const std::vector<std::string> &fields, Value value) {
    if (to) throw input_error("'", fields[0], "' is there twice");
    to = value;
}

// Joins the parts that are not empty by plus signs.
std::string joined(const std::vector<std::string> &parts) {
    std::string text;
    for (const std::string &part : parts)
        if (!part.empty()) text += concat(text.empty() ? "" : "+", part);
    return text;
}

} // namespace

std::vector<dim_t> binary_post_op::source_dims(const std::vector<dim_t> &dims) const {
    std::vector<dim_t> source(dims.size(), 1);
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask & (1u << d)) source[d] = dims[d];
    return source;
}

tensor_scales parse_scales(std::string_view text) {
    tensor_scales scales;
    if (text.empty()) return scales;
    for (const std::string &part : split(text, '+')) {
        const std::vector<std::string> fields = split(part, ':');
        if (are_found(fields)) {
            if (scales.dst || scales.found) throw input_error("there are two scales of dst");
            scales.found = parse_found(part, fields);
            continue;
        }
        if (fields.size() < 3 || fields.size() > 4 || (fields.size() == 4 && fields[3] != "f32"))
            throw input_error("scale '", part, "' is not of the form ARGUMENT:common:VALUE[:f32]");
        if (fields[1] != "common")
            throw input_error("scale policy '", fields[1], "' is none of common, per_row and per_tensor");
        if (fields[0] != "src" && fields[0] != "dst")
            throw input_error("scale argument '", fields[0], "' is neither src nor dst");
        std::optional<float> &scale = fields[0] == "src" ? scales.src : scales.dst;
        if (scale || (fields[0] == "dst" && scales.found)) throw input_error("there are two scales of ", fields[0]);
        std::string_view value = fields[2];
        // In older files a * marks scales that are known at run time only. Here this holds for all scales.
        if (value.ends_with('*')) value.remove_suffix(1);
        scale = parse_float(value);
        if (*scale == 0) throw input_error("a scale must not be 0");
    }
    return scales;
}

std::vector<post_op> parse_post_ops(std::string_view text) {
    std::vector<post_op> post_ops;
    if (text.empty()) return post_ops;
    for (const std::string &part : split(text, '+')) post_ops.push_back(parse_post_op(part));
    return post_ops;
}

bool parse_user_scratchpad(std::string_view text) {
    if (text == "user") return true;
    if (text == "library") return false;
    throw input_error("'", text, "' is neither library nor user");
}

std::string to_text(const tensor_scales &scales) {
    const auto given = [](const char *name, const std::optional<float> &scale) {
        return scale ? concat(name, ":common:", to_text(*scale)) : "";
    };
    std::string found;
    if (scales.found && scales.found->group == 0) found = "dst:per_row:f32:dynamic_amax";
    if (scales.found && scales.found->group != 0)
        found = concat("dst:per_tensor:f32:1x", std::to_string(scales.found->group), ":dynamic_amax");
    return joined({given("src", scales.src), given("dst", scales.dst), found});
}

std::string to_text(const std::vector<post_op> &post_ops) {
    std::vector<std::string> parts;
    for (const post_op &op : post_ops)
        parts.push_back(std::visit([](const auto &entry) { return text_of(entry); }, op));
    return joined(parts);
}

fpmath parse_fpmath(std::string_view text) {
    const std::vector<std::string> fields = split(text, ':');
    if (fields.size() > 2) throw input_error("'", text, "' is not of the form MODE[:FOR_INTEGERS]");
    const bool for_integers = fields.size() == 2 && parse_bool(fields[1]);
    for (size_t i = 0; i < std::size(FPMATH_MODES); ++i)
        if (FPMATH_MODES[i] == fields[0]) return {jitnorm_fpmath_mode_t(i), for_integers};
    throw input_error("unknown floating-point mode '", fields[0], "'; known: strict, bf16, f16, tf32, any");
}

std::string to_text(const fpmath &f) { return concat(FPMATH_MODES[size_t(f.mode)], f.for_integers ? ":true" : ""); }

jitnorm_accumulation_mode_t parse_accumulation(std::string_view text) {
    std::string known;
    for (int i = jitnorm_accumulation_mode_strict; i <= jitnorm_accumulation_mode_f16; ++i) {
        const auto mode = jitnorm_accumulation_mode_t(i);
        if (text == jitnorm_accumulation_mode2str(mode)) return mode;
        known += concat(known.empty() ? "" : ", ", jitnorm_accumulation_mode2str(mode));
    }
    throw input_error("unknown accumulation mode '", text, "'; known: ", known);
}

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
        else if (part == "silu")
            residual.silu = true;
        else
            throw input_error("'", part, "' is none of src1, dst1, bias, rounded, silu");
    }
    if (!residual.added && !residual.sum) throw input_error("there is neither src1 nor dst1");
    if (residual.rounded && !residual.sum) throw input_error("'rounded' needs dst1");
    return residual;
}

std::vector<dim_t> modulation::dims_of(unsigned mask, std::vector<dim_t> dims) {
    for (size_t d = 0; d + 1 < dims.size(); ++d)
        if ((mask >> d & 1) == 0) dims[d] = 1;
    return dims;
}

modulation parse_modulation(std::string_view text) {
    modulation modulated;
    if (text.empty()) return modulated;
    for (const std::string &part : split(text, '+')) {
        const std::vector<std::string> fields = split(part, ':');
        const bool is_gate = fields[0] == "gate";
        if (fields.size() < 2 || fields.size() > (is_gate ? 3 : 2))
            throw input_error("'", part, "' is not of the form scale:MASK, shift:MASK or gate:MASK[:DATA_TYPE]");
        const auto mask = unsigned(parse_integer(fields[1], 0, (1 << 11) - 1));
        if (fields[0] == "scale")
            set_once(modulated.scale, fields, mask);
        else if (fields[0] == "shift")
            set_once(modulated.shift, fields, mask);
        else if (is_gate)
            set_once(modulated.gate, fields, mask);
        else
            throw input_error("'", part, "' is none of scale, shift, gate");
        if (fields.size() == 3) modulated.gate_type = parse_data_type(fields[2]);
    }
    return modulated;
}

std::string to_text(const modulation &modulated) {
    const auto masked = [](const char *name, const std::optional<unsigned> &mask, const std::string &type = "") {
        return mask ? concat(name, ":", std::to_string(*mask), type) : "";
    };
    return joined({masked("scale", modulated.scale), masked("shift", modulated.shift),
                   masked("gate", modulated.gate, concat(":", name_of(modulated.gate_type)))});
}

std::optional<residual_tensor> parse_output(std::string_view name, std::string_view text) {
    if (text.empty()) return std::nullopt;
    const std::vector<std::string> fields = split(text, ':');
    if (fields[0] != name) throw input_error("'", text, "' is not ", name);
    return parse_tensor(fields);
}

std::string output_text(std::string_view name, const std::optional<residual_tensor> &output) {
    if (!output) return "";
    if (output->type == jitnorm_data_type_undef) return std::string(name);
    return concat(name, ":", name_of(output->type), output->tag.empty() ? "" : ":", output->tag);
}

std::string to_text(const residual_addition &residual) {
    return joined({output_text("src1", residual.added), output_text("dst1", residual.sum),
                   residual.bias ? concat("bias:", name_of(*residual.bias)) : "", residual.rounded ? "rounded" : "",
                   residual.silu ? "silu" : ""});
}

} // namespace benchdnn_lite
