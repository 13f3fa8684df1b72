// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a problem, and writes them back.
#include "problem.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "../error.hpp"
#include "jitnorm/jitnorm_debug.h"
#include "tag.hpp"
#include "threads.hpp"

namespace benchdnn_lite {

namespace {

constexpr std::string_view DIRECTIONS[] = {"FWD_D", "FWD_I", "BWD_D", "BWD_DW"};

struct named_flag {
    std::string_view letter;
    jitnorm_normalization_flags_t flag;
};

constexpr named_flag FLAGS[] = {
#define FLAG(name, number, letter) {letter, jitnorm_##name},
#define OWN_FLAG(...)
#include "../../tables/normalization_flags.inc"
};

constexpr std::string_view KNOWN_FLAGS = ""
#define FLAG(name, number, letter) ", " letter " " #name
#define OWN_FLAG(...)
#include "../../tables/normalization_flags.inc"
    ;

constexpr std::string_view FLAGS_HELP = "the library's flags (none):"
#define FLAG(name, number, letter) "\n" letter " " #name
#define OWN_FLAG(...)
#include "../../tables/normalization_flags.inc"
    ;

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

direction parse_direction(std::string_view text) {
    for (size_t i = 0; i < std::size(DIRECTIONS); ++i)
        if (equal_but_for_case(DIRECTIONS[i], text)) return direction(i);
    throw input_error("'", text, "' is none of FWD_D, FWD_I, BWD_D, BWD_DW");
}

// X is the float next to the number, X:f64 the double.
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

std::string scratchpad_text(bool of_user) { return of_user ? "user" : "library"; }

// `parsed` is an expression of the text v, and `write` a function of the member.
#define PART(member, parsed, write)                                                                                    \
    [](std::string_view v) -> problem_setter { return [value = (parsed)](problem &p) { p.member = value; }; },         \
        [](const problem &p) { return std::string(write(p.member)); },                                                 \
        [](const problem &a, const problem &b) { return a.member == b.member; }

constexpr problem_knob KNOBS[] = {
    {"dir", "FWD_D,BWD_DW", "direction: FWD_D (default), FWD_I, BWD_D, BWD_DW", PART(dir, parse_direction(v), name_of)},
    {"dt", "f32,bf16:f32",
     "types SRC[:DST[:DIFF_SRC]]: f32 bf16 f16 f64 s8 u8\n"
     "DST of forward also f8_e5m2 f8_e4m3",
     PART(types, parse_row_types(v), to_text)},
    {"tag", "abx,axb:any", "layouts SRC[:DST[:DIFF_SRC]]: any abx; DST undef", PART(tags, parse_row_tags(v), to_text)},
    {"stat_tag", "any,undef,abx", "layouts of mean and variance, undef: none given (any)",
     PART(stat_tag, parse_tag(v), std::string)},
    {"ss_dt", "f32,bf16:f32", "types of scale and shift[:of their gradients] (f32)",
     PART(scale_shift, parse_weight_types(v), to_text)},
    {"flags", ",CH,CMP", FLAGS_HELP, PART(flags, parse_flags(v), flags_text)},
    {"eps", "1e-5", "epsilon; X:f64: in double (0.0625, as benchdnn)", PART(epsilon, parse_epsilon(v), epsilon_text)},
    {"inplace", "false,true", "dst in src's memory, diff_src in diff_dst's (false)",
     PART(in_place, parse_bool(v), bool_text)},
    {"attr-residual", "src1+dst1:bf16+bias:f32+rounded", "residual, added to src; its sum as output (none)",
     PART(attr.residual, parse_residual(v), to_text)},
    {"attr-modulation", "scale:1+shift:1+gate:1:bf16", "row dimensions of scale and shift; a gate (none)",
     PART(attr.modulation, parse_modulation(v), to_text)},
#define FURTHER_OUTPUT(place, number, attribute, name, knob, meaning)                                                  \
    {knob, "dst" #number ",dst" #number ":bf16", "further output: " meaning " (none)",                                 \
     PART(attr.attribute, parse_output("dst" #number, v),                                                              \
          [](const auto &t) { return output_text("dst" #number, t); })},
#include "../../tables/outputs.inc"
    {"attr-scales", "src:common:64+dst:per_row", "scales of src and dst (none)",
     PART(attr.scales, parse_scales(v), to_text)},
    {"attr-post-ops", "sum+add:f32:per_oc+relu,tanh", "applied to the result before the store (none)",
     PART(attr.post_ops, parse_post_ops(v), to_text)},
    {"attr-scratchpad", "library,user", "who owns the scratchpad (library)",
     PART(attr.user_scratchpad, parse_user_scratchpad(v), scratchpad_text)},
    {"attr-fpmath", "strict,bf16", "precision allowed; f32 is used (strict)",
     PART(attr.precision, parse_fpmath(v), to_text)},
    {"attr-acc-mode", "strict,relaxed", "accumulation type allowed; f32 is used (strict)",
     PART(attr.accumulation, parse_accumulation(v), jitnorm_accumulation_mode2str)},
    {"attr-deterministic", "false,true", "reproducible results (false; they always are)",
     PART(attr.deterministic, parse_bool(v), bool_text)},
    {"ctx-init", "auto,2", "threads to create the primitive with (auto: all)",
     PART(creation_threads, parse_context(v), context_text)},
    {"ctx-exe", "1,2", "threads to execute it with (auto: all)",
     PART(execution_threads, parse_context(v), context_text)},
};

#undef PART

bool is_quote(char c) { return c == '"' || c == '\''; }

// In quotes if some characters are neither letters, digits, _ nor :. Then a batch file takes the text for one word.
std::string quoted_if_odd(const std::string &part) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    return std::all_of(part.begin(), part.end(), plain) ? part : concat("\"", part, "\"");
}

} // namespace

std::string_view name_of(direction dir) { return DIRECTIONS[size_t(dir)]; }

unsigned parse_flags(std::string_view text) {
    unsigned flags = 0;
    for (const char letter : text) {
        unsigned flag = 0;
        for (const named_flag &f : FLAGS)
            if (f.letter.front() == letter) flag = unsigned(f.flag);
        if (flag == 0) throw input_error("unknown flag '", std::string(1, letter), "'; known: ", KNOWN_FLAGS.substr(2));
        flags |= flag;
    }
    return flags;
}

std::string flags_text(unsigned flags) {
    std::string text;
    for (const named_flag &f : FLAGS)
        if ((flags & unsigned(f.flag)) != 0) text += f.letter;
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
    constexpr std::string_view EXPECTED = "a problem is a shape such as 128x768";
    return blame(concat("malformed problem '", text, "'"), [&] {
        if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) throw input_error(EXPECTED);
        const auto [dims, name] = split_name(text);
        shape size{{}, std::string(name)};
        for (const std::string &dim : split(dims, 'x')) {
            if (dim.empty()) throw input_error("a dimension is missing; ", EXPECTED);
            if (dim.find_first_not_of("0123456789") != dim.npos)
                throw input_error("'", dim, "' is not a dimension; ", EXPECTED);
            size.dims.push_back(parse_integer(dim, 0, std::numeric_limits<dim_t>::max()));
        }
        if (size.dims.size() < 2 || size.dims.size() > JITNORM_MAX_NDIMS)
            throw input_error("a shape has 2 to ", std::to_string(JITNORM_MAX_NDIMS), " dimensions, such as 128x768");
        check_size(size.dims);
        return size;
    });
}

std::string to_text(const shape &size) {
    std::string text;
    for (size_t d = 0; d < size.dims.size(); ++d) text += concat(d ? "x" : "", std::to_string(size.dims[d]));
    return size.name.empty() ? text : concat(text, "_n\"", size.name, "\"");
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

std::vector<used_tensor> problem::row_tensors() const {
    constexpr bool OUTPUT = true;
    std::vector<used_tensor> all;
    const auto add = [&](int id, const char *name, const residual_tensor &t, bool is_output = false, int shared = 0) {
        all.push_back({id, name, type_of(t), size.dims, is_output, tag_of(t), shared});
    };
    const residual_tensor src{types.src, src_tag()}, dst{types.dst, tags.dst};
    if (is_forward()) {
        add(JITNORM_ARG_SRC, "src", src);
        if (has_dst()) add(JITNORM_ARG_DST, "dst", dst, OUTPUT, in_place ? JITNORM_ARG_SRC : 0);
        if (adds_residual()) add(JITNORM_ARG_SRC_1, "src_1", *attr.residual.added);
        if (writes_sum()) {
            const residual_tensor &added = *attr.residual.added, &sum = *attr.residual.sum;
            const bool shares = in_place && type_of(added) == type_of(sum) && tag_of(added) == tag_of(sum);
            add(JITNORM_ARG_DST_1, "dst_1", sum, OUTPUT, shares ? JITNORM_ARG_SRC_1 : 0);
        }
#define FURTHER_OUTPUT(place, number, attribute, ...)                                                                  \
    if (attr.attribute) add(JITNORM_ARG_DST_##number, "dst_" #number, *attr.attribute, OUTPUT);
#include "../../tables/outputs.inc"
    } else {
        add(JITNORM_ARG_DIFF_DST, "diff_dst", dst);
        add(JITNORM_ARG_DIFF_SRC, "diff_src", {types.diff_src, diff_src_tag()}, OUTPUT,
            in_place ? JITNORM_ARG_DIFF_DST : 0);
        add(JITNORM_ARG_SRC, "src", src);
        if (reads_diff_sum()) add(JITNORM_ARG_DIFF_DST_1, "diff_dst_1", *attr.residual.sum);
        if (has_gate_gradients()) add(JITNORM_ARG_SRC_1, "src_1", gated());
        if (has_gate_gradients()) add(JITNORM_ARG_DIFF_SRC_1, "diff_src_1", gated(), OUTPUT);
    }
    return all;
}

std::vector<used_tensor> problem::tensors() const {
    constexpr bool OUTPUT = true;
    const bool has_statistics = statistics_are_inputs() || statistics_are_outputs(), weights = dir == direction::BWD_DW;
    const modulation &masks = attr.modulation;
    std::vector<used_tensor> all = row_tensors();
    const auto add = [&](bool exists, used_tensor t) {
        if (exists) all.push_back(std::move(t));
    };
    const auto masked = [&](const std::optional<unsigned> &mask) {
        return modulation::dims_of(mask.value_or(0), size.dims);
    };
    add(reads_gate(), {JITNORM_ARG_SRC_2, "src_2", masks.gate_type, masked(masks.gate)});
    add(reads_bias(), {JITNORM_ARG_BIAS, "bias", attr.residual.bias.value_or(jitnorm_f32), {row_length()}});
    add(has_statistics && !is_rms(),
        {JITNORM_ARG_MEAN, "mean", jitnorm_f32, statistics_dims(), statistics_are_outputs()});
    add(has_statistics, {JITNORM_ARG_VARIANCE, "variance", jitnorm_f32, statistics_dims(), statistics_are_outputs()});
    add(uses_scale(), {JITNORM_ARG_SCALE, "scale", scale_shift.given, masked(masks.scale)});
    add(uses_shift() && is_forward(), {JITNORM_ARG_SHIFT, "shift", scale_shift.given, masked(masks.shift)});
    add(uses_scale() && weights,
        {JITNORM_ARG_DIFF_SCALE, "diff_scale", scale_shift.gradient, masked(masks.scale), OUTPUT});
    add(uses_shift() && weights,
        {JITNORM_ARG_DIFF_SHIFT, "diff_shift", scale_shift.gradient, masked(masks.shift), OUTPUT});
    add(has_gate_gradients() && weights,
        {JITNORM_ARG_DIFF_SRC_2, "diff_src_2", masks.gate_type, masked(masks.gate), OUTPUT});
    if (attr.scales.found) {
        std::vector<dim_t> groups = size.dims;
        groups.back() /= std::max<dim_t>(attr.scales.found->columns(row_length()), 1);
        add(true, {DST_SCALES, "scales_of_dst", jitnorm_f32, groups, OUTPUT});
    }
    return all;
}

bool problem::computes_in_f64() const {
    const std::vector<used_tensor> tensors = row_tensors();
    return std::any_of(tensors.begin(), tensors.end(), [&](const used_tensor &t) {
        const bool is_of_gate = !is_forward() && (t.id == JITNORM_ARG_SRC_1 || t.id == JITNORM_ARG_DIFF_SRC_1);
        return t.type == jitnorm_f64 && !is_of_gate;
    });
}

std::string problem::line(bool canonical) const {
    const problem defaults;
    std::string text;
    for (const problem_knob &k : KNOBS)
        if (canonical || !k.equal(*this, defaults)) text += concat("--", k.name, "=", k.text(*this), " ");
    if (!filter.parts.empty()) text += to_text(filter) + " ";
    return text + to_text(size);
}

std::span<const problem_knob> problem_knobs() { return KNOBS; }

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
