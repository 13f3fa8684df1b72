// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a problem, and writes them back.
#include "problem.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "../error.hpp"
#include "../text.hpp"
#include "tag.hpp"

namespace benchdnn_lite {

namespace {

constexpr std::string_view DIRECTIONS[] = {"FWD_D", "FWD_I", "BWD_D", "BWD_DW"};

struct named_flag {
    char letter;
    jitnorm_normalization_flags_t flag;
};

constexpr named_flag FLAGS[] = {
#define FLAG(name, number, letter) {letter, jitnorm_##name},
#include "../../tables/normalization_flags.inc"
};

// The offsets in bytes of 8-byte elements must not overflow.
constexpr dim_t MAX_ELEMENTS = std::numeric_limits<dim_t>::max() / 64;

// Splits 128x768_n"name" into dimensions and name. Older files have no _: 128x768n"name".
std::pair<std::string_view, std::string_view> split_name(std::string_view text) {
    const size_t n = text.find('n');
    if (n == text.npos) return {text, {}};
    std::string_view dims = text.substr(0, n), name = text.substr(n + 1);
    if (!dims.empty() && dims.back() == '_') dims.remove_suffix(1);
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    if (name.find('"') != name.npos) throw input_error("the quotes around the name do not match");
    return {dims, name};
}

void check_size(const std::vector<dim_t> &dims) {
    dim_t elements = 1;
    for (const dim_t dim : dims) {
        if (dim != 0 && elements > MAX_ELEMENTS / dim) throw input_error("the shape has too many elements");
        elements *= dim == 0 ? 1 : dim;
    }
}

std::vector<std::string> split_fields(std::string_view text, size_t most) {
    std::vector<std::string> fields = split(text, ':');
    if (fields.size() > most) throw input_error("'", text, "' has more than ", std::to_string(most), " fields");
    return fields;
}

data_type parse_weight_type(std::string_view text) {
    const data_type type = parse_data_type(text);
    if (is_integer(type) || is_f8(type) || type == jitnorm_f64)
        throw input_error("scale and shift are f32, bf16 or f16, not ", text);
    return type;
}

bool is_quote(char c) { return c == '"' || c == '\''; }

// In quotes if some characters are neither letters, digits, _ nor :. Then a batch file takes the text for one word.
std::string quoted_if_odd(const std::string &part) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    return std::all_of(part.begin(), part.end(), plain) ? part : concat("\"", part, "\"");
}

} // namespace

direction parse_direction(std::string_view text) {
    for (size_t i = 0; i < std::size(DIRECTIONS); ++i)
        if (equal_but_for_case(DIRECTIONS[i], text)) return direction(i);
    throw input_error("'", text, "' is none of FWD_D, FWD_I, BWD_D, BWD_DW");
}

std::string_view name_of(direction dir) { return DIRECTIONS[size_t(dir)]; }

unsigned parse_flags(std::string_view text) {
    unsigned flags = 0;
    for (const char letter : text) {
        unsigned flag = 0;
        for (const named_flag &f : FLAGS)
            if (letter != '\0' && f.letter == letter) flag = unsigned(f.flag);
        if (flag == 0)
            throw input_error("flag '", std::string(1, letter), "' is none of the letters ", flags_text(~0U));
        flags |= flag;
    }
    return flags;
}

std::string flags_text(unsigned flags) {
    std::string text;
    for (const named_flag &f : FLAGS)
        if (f.letter != '\0' && (flags & unsigned(f.flag)) != 0) text += f.letter;
    return text;
}

row_types parse_row_types(std::string_view text) {
    const std::vector<std::string> parts = split_fields(text, 3);
    const data_type src = parse_data_type(parts[0]);
    return {src, parse_data_type(parts.size() > 1 ? parts[1] : parts[0]),
            parts.size() > 2 ? parse_data_type(parts[2]) : src};
}

row_tags parse_row_tags(std::string_view text) {
    const std::vector<std::string> parts = split_fields(text, 3);
    for (size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] == TAG_UNDEF && i != 1) throw input_error("tag 'undef' is for statistics and dst only");
        check_tag_name(parts[i], false);
    }
    return {parts[0], parts.size() > 1 ? parts[1] : std::string(TAG_ANY), parts.size() > 2 ? parts[2] : ""};
}

weight_types parse_weight_types(std::string_view text) {
    const std::vector<std::string> parts = split_fields(text, 2);
    return {parse_weight_type(parts.front()), parse_weight_type(parts.back())};
}

std::string to_text(const row_types &types) {
    if (types.diff_src != types.src)
        return concat(name_of(types.src), ":", name_of(types.dst), ":", name_of(types.diff_src));
    if (types.dst != types.src) return concat(name_of(types.src), ":", name_of(types.dst));
    return std::string(name_of(types.src));
}

std::string to_text(const row_tags &tags) {
    if (!tags.diff_src.empty()) return concat(tags.src, ":", tags.dst, ":", tags.diff_src);
    return tags.dst == TAG_ANY ? tags.src : concat(tags.src, ":", tags.dst);
}

std::string to_text(const weight_types &types) {
    if (types.gradient != types.given) return concat(name_of(types.given), ":", name_of(types.gradient));
    return std::string(name_of(types.given));
}

shape parse_shape(std::string_view text) {
    try {
        const auto [dims, name] = split_name(text);
        shape size{{}, std::string(name)};
        for (const std::string &dim : split(dims, 'x'))
            size.dims.push_back(parse_integer(dim, 0, std::numeric_limits<dim_t>::max()));
        if (size.dims.size() < 2 || size.dims.size() > JITNORM_MAX_NDIMS)
            throw input_error("a shape has 2 to ", std::to_string(JITNORM_MAX_NDIMS), " dimensions");
        check_size(size.dims);
        return size;
    } catch (const input_error &error) {
        throw input_error("malformed problem '", text, "': ", error.what());
    }
}

std::string to_text(const shape &size) {
    std::string text;
    for (size_t d = 0; d < size.dims.size(); ++d) text += concat(d ? "x" : "", std::to_string(size.dims[d]));
    return size.name.empty() ? text : concat(text, "_n\"", size.name, "\"");
}

double parse_epsilon(std::string_view text) {
    constexpr std::string_view AS_DOUBLE = ":f64";
    const double epsilon = text.ends_with(AS_DOUBLE) ? parse_double(text.substr(0, text.size() - AS_DOUBLE.size()))
                                                     : double(parse_float(text));
    if (epsilon < 0) throw input_error("'", text, "' is negative");
    return epsilon;
}

std::string epsilon_text(double epsilon) {
    const auto rounded = float(epsilon);
    return double(rounded) == epsilon ? to_text(rounded) : to_text(epsilon) + ":f64";
}

std::string problem::src_tag() const { return tags.src == TAG_ANY ? "abx" : tags.src; }

std::string problem::diff_src_tag() const {
    if (!tags.diff_src.empty()) return tags.diff_src;
    return in_place ? tags.dst : src_tag();
}

data_type problem::type_of(const residual_tensor &tensor) const {
    return tensor.type == jitnorm_data_type_undef ? types.src : tensor.type;
}

std::string problem::tag_of(const residual_tensor &tensor) const {
    return tensor.tag.empty() || tensor.tag == TAG_ANY ? src_tag() : tensor.tag;
}

bool problem::sum_is_in_place() const {
    if (!in_place || !writes_sum()) return false;
    const residual_tensor &added = *attr.residual.added, &sum = *attr.residual.sum;
    return type_of(added) == type_of(sum) && tag_of(added) == tag_of(sum);
}

bool problem::computes_in_f64() const {
    bool has_f64 = types.src == jitnorm_f64 || types.dst == jitnorm_f64 || types.diff_src == jitnorm_f64;
    if (adds_residual()) has_f64 |= type_of(*attr.residual.added) == jitnorm_f64;
    if (writes_sum() || reads_diff_sum()) has_f64 |= type_of(*attr.residual.sum) == jitnorm_f64;
    if (writes_pre_quantization()) has_f64 |= type_of(*attr.pre_quantization) == jitnorm_f64;
    return has_f64;
}

dim_t problem::rows() const {
    dim_t rows = 1;
    for (size_t d = 0; d + 1 < size.dims.size(); ++d) rows *= size.dims[d];
    return rows;
}

std::string problem::line(bool canonical) const {
    const problem defaults;
    std::string text;
    const auto knob = [&](bool differs, std::string_view name, std::string_view value) {
        if (differs || canonical) text += concat("--", name, "=", value, " ");
    };
    knob(dir != defaults.dir, "dir", name_of(dir));
    knob(types != defaults.types, "dt", to_text(types));
    knob(tags != defaults.tags, "tag", to_text(tags));
    knob(stat_tag != defaults.stat_tag, "stat_tag", stat_tag);
    knob(scale_shift != defaults.scale_shift, "ss_dt", to_text(scale_shift));
    knob(flags != defaults.flags, "flags", flags_text(flags));
    knob(epsilon != defaults.epsilon, "eps", epsilon_text(epsilon));
    knob(in_place != defaults.in_place, "inplace", in_place ? "true" : "false");
    knob(attr.residual != defaults.attr.residual, "attr-residual", to_text(attr.residual));
    knob(attr.modulation != defaults.attr.modulation, "attr-modulation", to_text(attr.modulation));
    knob(attr.pre_quantization != defaults.attr.pre_quantization, "attr-pre-quantization",
         to_text(attr.pre_quantization));
    knob(attr.scales != defaults.attr.scales, "attr-scales", to_text(attr.scales));
    knob(!attr.post_ops.empty(), "attr-post-ops", to_text(attr.post_ops));
    knob(attr.user_scratchpad, "attr-scratchpad", attr.user_scratchpad ? "user" : "library");
    knob(attr.precision != defaults.attr.precision, "attr-fpmath", to_text(attr.precision));
    knob(attr.deterministic, "attr-deterministic", attr.deterministic ? "true" : "false");
    knob(creation != defaults.creation, "ctx-init", to_text(creation));
    knob(execution != defaults.execution, "ctx-exe", to_text(execution));
    if (!filter.parts.empty()) text += to_text(filter) + " ";
    return text + to_text(size);
}

bool impl_filter::accepts(std::string_view implementation) const {
    if (parts.empty()) return true;
    const bool found = std::any_of(parts.begin(), parts.end(), [&](const std::string &part) {
        return implementation.find(part) != implementation.npos;
    });
    return found != skips;
}

impl_filter parse_impl_filter(std::string_view text, bool skips) {
    impl_filter filter;
    if (text.empty()) return filter;
    filter.skips = skips;
    for (std::string &part : split(text, ',')) {
        if (std::erase_if(part, is_quote) % 2 == 1) throw input_error("the quotes in '", text, "' do not match");
        if (!part.empty()) filter.parts.push_back(std::move(part));
    }
    return filter.parts.empty() ? impl_filter{} : filter;
}

std::string to_text(const impl_filter &filter) {
    std::string text;
    for (const std::string &part : filter.parts)
        text += concat(!text.empty() ? "," : filter.skips ? "--skip-impl=" : "--impl=", quoted_if_odd(part));
    return text;
}

} // namespace benchdnn_lite
