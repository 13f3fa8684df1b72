// SPDX-License-Identifier: Apache-2.0
// Chosen by structure: rows around every edge of vectors, blocks and chunks, each flag, pair of types, kind of layout,
// post-op and way through the executors at least once, in more than one type where the code differs.
#include "cases.hpp"

#include <algorithm>

#include "core/names.hpp"

namespace jitnorm::tests {

namespace {

using impl::post_op;
using impl::layer_norm::statistics_form;

constexpr jitnorm_data_type_t F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16, F64 = jitnorm_f64;
constexpr jitnorm_data_type_t S8 = jitnorm_s8, U8 = jitnorm_u8;
constexpr unsigned GLOBAL = jitnorm_use_global_stats, SCALE = jitnorm_use_scale, SHIFT = jitnorm_use_shift;
constexpr unsigned RMS = jitnorm_rms_norm, PLUS_ONE = jitnorm_use_scale | jitnorm_scale_plus_one;
constexpr auto INFERENCE = jitnorm_forward_inference;
constexpr auto BACKWARD = jitnorm_backward, BACKWARD_DATA = jitnorm_backward_data;

using list = std::vector<golden_case>;

setup of_type(setup s, jitnorm_data_type_t type) {
    s.src_type = s.dst_type = s.diff_src_type = type;
    return s;
}
setup of_layout(setup s, const char *layout) {
    s.src = s.dst = s.diff_src = layout;
    return s;
}

// Around vectors, groups of lanes, blocks and chunks.
const std::vector<dim_t> LENGTHS = {1,   2,    3,    4,    5,    7,    8,    9,    15,   16,   17,   23,   31,
                                    32,  33,   47,   63,   64,   65,   127,  255,  256,  257,  511,  512,  513,
                                    768, 1023, 1024, 1025, 1600, 4095, 4096, 4097, 5000, 8191, 8192, 12289};

// Rows of every length: 1 to 70 of them, fewer where they are long.
dim_t rows_for(dim_t columns, size_t turn) {
    const dim_t rows = 1 + dim_t(turn * 29 % 70);
    return std::min(rows, std::max<dim_t>(1, 24000 / columns));
}

void add_lengths(list &cases) {
    const jitnorm_data_type_t others[] = {BF16, F64, F16};
    const unsigned flags[] = {SCALE | SHIFT, 0, SCALE, SHIFT};
    const content contents[] = {content::ordinary, content::mixed};
    for (size_t i = 0; i < LENGTHS.size(); ++i) {
        const dim_t columns = LENGTHS[i];
        setup s = {.flags = flags[i % 4], .dims = {rows_for(columns, i), columns}, .seed = unsigned(i) + 100};
        const bool small = columns < 34 && i % 2 == 0;
        cases.push_back({s, contents[i % 2], false, small});
        s.dims[0] = rows_for(columns, i + 5);
        s.flags |= RMS;
        cases.push_back({s, contents[(i + 1) % 2], false, small});
        s.flags = flags[(i + 1) % 4];
        cases.push_back({of_type(s, others[i % 3]), contents[i % 2], false, small});
    }
}

void add_flags(list &cases) {
    for (unsigned flags = 0; flags < 16; ++flags)
        for (const auto kind : {jitnorm_forward_training, INFERENCE})
            for (const auto type : {F32, F64}) {
                if (type == F64 && kind == INFERENCE) continue;
                const unsigned each = (flags & 1 ? GLOBAL : 0) | (flags & 2 ? SCALE : 0) | (flags & 4 ? SHIFT : 0) |
                                      (flags & 8 ? RMS : 0);
                cases.push_back({of_type({.kind = kind, .flags = each, .dims = {9, 70}, .seed = 200 + flags}, type)});
            }
}

void add_types(list &cases) {
    const jitnorm_data_type_t types[] = {F32, BF16, F16, F64, S8, U8}, affine[] = {F32, BF16, F16};
    size_t turn = 0;
    for (const auto src : types)
        for (const auto dst : types) {
            setup s = {.dims = {6, turn % 2 == 0 ? 77 : 21}, .src_type = src, .dst_type = dst, .seed = 300};
            s.affine_type = affine[turn++ % 3];
            s.attr.src_scale = turn % 4 == 1;
            s.attr.dst_scale = dst == S8 || dst == U8 || turn % 4 == 2;
            cases.push_back({s, content::ordinary, false, turn % 5 == 0});
        }
}

struct layouts {
    std::vector<dim_t> dims;
    const char *src, *dst, *statistics;
};

const layouts LAYOUTS[] = {
    {{5, 70}, "gap", "gap+7", "gap"},
    {{5, 70}, "spread", "ab", "spread"},
    {{5, 70}, "gap", "spread", "a"},
    {{37, 70}, "ba", "ba", "a"},
    {{37, 33}, "ab", "ba", "a"},
    {{66, 16}, "ba", "gap", "spread"},
    {{5, 70}, "AB16b16a", "aB8b", "a"},
    {{3, 5, 70}, "abc", "bac", "ba"},
    {{3, 5, 70}, "acb", "acb", "ab"},
    {{3, 5, 70}, "bac", "cba", "ba"},
    {{3, 5, 70}, "aBc8b", "aBc16b", "aB8b"},
    {{3, 5, 20}, "aBC8b8c+7", "aBC16b16c+7", "AB16b16a+7"},
    {{2, 3, 5, 20}, "acdb", "aBcd8b", "aBc8b"},
    {{2, 3, 2, 5, 20}, "aBcde8b", "acdeb", "abdc"},
    {{3, 64, 9}, "cba", "cba", "ba"},
    {{2, 4100}, "ba", "spread", "a"},
};

void add_layouts(list &cases) {
    const jitnorm_data_type_t others[] = {BF16, S8, F64};
    size_t turn = 0;
    for (const layouts &l : LAYOUTS)
        for (const auto type : {F32, others[turn++ % 3]}) {
            setup s = of_type({.dims = l.dims, .src = l.src, .dst = l.dst, .statistics = l.statistics}, type);
            s.flags |= turn % 4 == 0 ? RMS : 0;
            s.seed = 400;
            cases.push_back({s, turn % 2 == 0 ? content::mixed : content::ordinary, false,
                             type == F32 && l.dims.back() == 70 && turn % 4 == 1});
        }
}

const jitnorm_alg_kind_t ELTWISE[] = {jitnorm_eltwise_relu,        jitnorm_eltwise_tanh,      jitnorm_eltwise_square,
                                      jitnorm_eltwise_abs,         jitnorm_eltwise_sqrt,      jitnorm_eltwise_linear,
                                      jitnorm_eltwise_hardsigmoid, jitnorm_eltwise_logistic,  jitnorm_eltwise_exp,
                                      jitnorm_eltwise_clip,        jitnorm_eltwise_clip_v2,   jitnorm_eltwise_gelu_tanh,
                                      jitnorm_eltwise_gelu_erf,    jitnorm_eltwise_hardswish, jitnorm_eltwise_swish,
                                      jitnorm_eltwise_elu,         jitnorm_eltwise_log,       jitnorm_eltwise_soft_relu,
                                      jitnorm_eltwise_mish,        jitnorm_eltwise_pow,       jitnorm_eltwise_round};
const jitnorm_alg_kind_t BINARY[] = {jitnorm_binary_add, jitnorm_binary_mul, jitnorm_binary_max, jitnorm_binary_min,
                                     jitnorm_binary_div, jitnorm_binary_sub, jitnorm_binary_ge,  jitnorm_binary_gt,
                                     jitnorm_binary_le,  jitnorm_binary_lt,  jitnorm_binary_eq,  jitnorm_binary_ne};

setup with_post_ops(setup s, std::vector<post_op> entries) {
    s.attr.post_ops.entries = std::move(entries);
    return s;
}

void add_eltwise(list &cases) {
    size_t turn = 0;
    for (const auto alg : ELTWISE) {
        const setup s = {.dims = {4, 45}, .seed = 500};
        const bool is_swish = alg == jitnorm_eltwise_swish;
        const post_op op = impl::eltwise_post_op{alg, is_swish ? 1.5F : 0.25F, 0.75F};
        cases.push_back({with_post_ops(s, {op}), content::ordinary, false, turn % 3 == 0});
        if (turn++ % 2 == 0) cases.push_back({with_post_ops(of_type(s, F64), {op})});
    }
}

void add_binary(list &cases) {
    const jitnorm_data_type_t types[] = {F32, BF16, F16, jitnorm_s32, S8, U8};
    size_t turn = 0;
    for (const auto alg : BINARY) {
        const dim_t dims[] = {turn % 3 == 0 ? 1 : 4, turn % 4 == 1 ? 1 : 45};
        const setup s = of_type({.dims = {4, 45}, .seed = 600}, turn % 5 == 2 ? F64 : F32);
        cases.push_back({with_post_ops(s, {impl::binary_post_op{alg, impl::make_dense(dims, types[turn % 6])}})});
        ++turn;
    }
}

void add_chains(list &cases) {
    const dim_t row[] = {1, 90}, column[] = {6, 1};
    const post_op sum = impl::sum_post_op{0.5F, 0, jitnorm_data_type_undef};
    const post_op byte_sum = impl::sum_post_op{0.25F, 3, jitnorm_data_type_undef};
    const post_op gelu = impl::eltwise_post_op{jitnorm_eltwise_gelu_erf, 0, 0};
    const post_op times = impl::binary_post_op{jitnorm_binary_mul, impl::make_dense(row, F32)};
    const post_op plus = impl::binary_post_op{jitnorm_binary_add, impl::make_dense(column, BF16)};
    setup s = {.dims = {6, 90}, .seed = 700};
    cases.push_back({with_post_ops(s, {sum}), content::ordinary, false, true});
    cases.push_back({with_post_ops(of_type(s, F64), {sum, gelu})});
    cases.push_back({with_post_ops(of_layout(s, "ba"), {sum, times, plus})});
    cases.push_back({with_post_ops(of_type(of_layout(s, "spread"), BF16), {times, gelu, plus})});
    s.attr.src_scale = s.attr.dst_scale = true;
    cases.push_back({with_post_ops(s, {gelu, times, sum, plus}), content::mixed, false, true});
    cases.push_back({with_post_ops(of_type(s, S8), {byte_sum})});
    cases.push_back({with_post_ops(of_type(s, U8), {byte_sum, gelu})});
    s.dims = {3, 4500};
    cases.push_back({with_post_ops(s, {sum, gelu})});
}

void add_contents(list &cases) {
    const content contents[] = {content::constant, content::huge_mean, content::outlier,  content::ramp,
                                content::huge,     content::tiny,      content::denormal, content::infinite};
    const dim_t lengths[] = {12, 100, 600, 4200};
    size_t turn = 0;
    for (const content what : contents)
        for (const auto type : {F32, BF16, F16, F64}) {
            const dim_t columns = lengths[(turn + turn / 4) % 4];
            const unsigned flags = turn++ % 3 == 1 ? RMS : SCALE | SHIFT;
            // Whether an infinite double reaches the sum of squares as such is a matter of tests/kernel.
            if (what == content::infinite && type == F64 && flags == RMS) continue;
            cases.push_back({of_type({.flags = flags, .dims = {7, columns}, .seed = 800}, type), what, false,
                             type == F32 && columns < 700});
        }
}

void add_ways(list &cases) {
    for (const auto type : {F32, BF16, F64}) { // in place
        cases.push_back({of_type({.dims = {13, 130}, .in_place = true}, type)});
        cases.push_back({of_type(of_layout({.dims = {13, 130}, .in_place = true}, "ba"), type)});
    }
    cases.push_back({{.dims = {2, 9000}, .in_place = true}, content::mixed});
    for (const auto type : {F32, BF16, F16}) // statistics
        for (const auto form : {statistics_form::variance, statistics_form::inverse_deviation}) {
            setup s = {.dims = {21, 50}, .statistics_type = type, .form = form};
            cases.push_back({s, content::mixed, false, true});
            s.flags |= GLOBAL;
            cases.push_back({s});
        }
    for (const int axes : {1, 2, 3}) // several normalized dimensions
        for (const char *layout : {"dense", "acdb"})
            cases.push_back({of_layout({.dims = {3, 4, 5, 18}, .axes = axes}, layout), content::mixed});
    for (const auto kind : {jitnorm_forward_training, BACKWARD}) // sizes at execution
        for (const char *layout : {"dense", "ba"})
            for (const dim_t columns : {20, 300, 5000})
                cases.push_back({of_layout({.kind = kind, .dims = {7, columns}}, layout), content::ordinary, true,
                                 columns == 20 && layout[0] == 'd'});
    for (const auto type : {F32, BF16, S8}) { // work for many threads, by rows and by chunks
        cases.push_back({of_type({.dims = {70, 1024}, .seed = 900}, type)});
        cases.push_back({of_type({.dims = {2, 40000}, .seed = 901}, type)});
    }
}

void add_backward_lengths(list &cases) {
    const jitnorm_data_type_t others[] = {BF16, F64, F16};
    const unsigned flags[] = {SCALE | SHIFT, SCALE, RMS | SCALE, 0};
    size_t turn = 0;
    for (const dim_t columns :
         {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 255, 511, 512, 513, 1025, 4095, 4096, 4097, 8193, 12289}) {
        setup s = {.kind = BACKWARD, .flags = flags[turn % 4], .dims = {rows_for(columns, turn + 3), columns}};
        s.seed = 1000 + unsigned(turn);
        cases.push_back({s, content::ordinary, false, columns < 34 && turn % 2 == 1});
        s.flags = flags[(turn + 1) % 4];
        s.kind = turn % 3 == 2 ? BACKWARD_DATA : BACKWARD;
        cases.push_back({of_type(s, others[turn % 3])});
        ++turn;
    }
}

// Blocks of rows and parts of blocks: their number depends on rows and columns.
void add_backward_rows(list &cases) {
    for (const dim_t rows : {1, 4, 5, 31, 32, 33, 63, 64, 65, 513, 3000})
        cases.push_back({{.kind = BACKWARD, .dims = {rows, 6}, .seed = 1100}, content::ordinary, false, rows < 34});
    for (const auto type : {F32, BF16, F64}) {
        cases.push_back({of_type({.kind = BACKWARD, .dims = {70, 1024}, .seed = 1101}, type)});
        cases.push_back({of_type({.kind = BACKWARD, .dims = {3, 34000}, .seed = 1102}, type)});
        cases.push_back({of_type({.kind = BACKWARD, .flags = SCALE | RMS, .dims = {300, 96}, .seed = 1103}, type)});
    }
}

void add_backward_flags_and_types(list &cases) {
    for (unsigned flags = 0; flags < 8; ++flags)
        for (const auto kind : {BACKWARD, BACKWARD_DATA}) {
            const unsigned each = (flags & 1 ? GLOBAL : 0) | (flags & 2 ? SCALE | SHIFT : 0) | (flags & 4 ? RMS : 0);
            cases.push_back({{.kind = kind, .flags = each, .dims = {11, 45}, .seed = 1200}});
        }
    const jitnorm_data_type_t types[] = {F32, BF16, F16, F64}, affine[] = {F32, BF16, F16};
    size_t turn = 0;
    for (const auto src : types)
        for (const auto gradient : types) {
            setup s = {.kind = BACKWARD, .dims = {10, 37}, .src_type = src, .dst_type = gradient, .seed = 1201};
            s.diff_src_type = types[(turn + 1) % 4];
            s.affine_type = affine[turn % 3];
            s.gradient_type = affine[turn++ / 2 % 3];
            cases.push_back({s, content::ordinary, false, turn % 6 == 0});
        }
}

void add_backward_layouts(list &cases) {
    size_t turn = 0;
    for (const layouts &l : LAYOUTS) {
        const jitnorm_data_type_t type = turn++ % 3 == 1 ? BF16 : turn % 3 == 2 ? F64 : F32;
        setup s = of_type({.kind = BACKWARD, .dims = l.dims, .src = l.src, .dst = l.dst}, type);
        s.statistics = l.statistics;
        s.diff_src = turn % 2 == 0 ? l.src : l.dst;
        cases.push_back({s});
    }
    for (const content what : {content::mixed, content::huge, content::denormal, content::infinite})
        for (const auto type : {F32, F64})
            cases.push_back({of_type({.kind = BACKWARD, .dims = {14, 52}, .seed = 1300}, type), what});
    for (const auto type : {F32, BF16})
        cases.push_back({of_type({.kind = BACKWARD, .dims = {14, 52}, .in_place = true, .seed = 1301}, type)});
    for (const auto form : {statistics_form::variance, statistics_form::inverse_deviation})
        cases.push_back({{.kind = BACKWARD, .dims = {14, 52}, .statistics_type = BF16, .form = form}});
}

// Scales that the library finds, 8-bit floats, and weights that are stored minus one.
void add_quantizing(list &cases) {
    constexpr jitnorm_data_type_t types[] = {S8, U8, jitnorm_f8_e5m2, jitnorm_f8_e4m3};
    unsigned seed = 1400;
    for (const auto type : types)
        for (const auto &[columns, per_row] : {std::pair<dim_t, dim_t>{77, 1}, {768, 6}, {5000, 1}, {18000, 4}}) {
            setup s = {.flags = SCALE | RMS, .dims = {6, columns}, .dst_type = type, .seed = ++seed};
            s.attr = finding_scales(s.dims, per_row);
            cases.push_back({s, content::ordinary, false, columns == 77});
        }
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        for (const auto what : {content::ordinary, content::mixed})
            cases.push_back({{.dims = {9, 100}, .dst_type = type, .seed = ++seed}, what});
    for (const auto kind : {jitnorm_forward_training, BACKWARD})
        for (const unsigned flags : {PLUS_ONE | RMS, PLUS_ONE | SHIFT})
            cases.push_back({of_type({.kind = kind, .flags = flags, .dims = {9, 70}, .seed = ++seed}, BF16)});
}

// Sums that are normalized from their output, from a tile, rounded; chunks of long rows; gradients with a second
// source.
void add_residuals(list &cases) {
    size_t turn = 0;
    for (const dim_t columns : {5, 37, 64, 700, 4096, 9000})
        for (const auto type : {F32, BF16, F64})
            for (const auto sum : {F32, BF16}) {
                setup s = of_type({.flags = SCALE, .dims = {rows_for(columns, turn), columns}, .seed = 1400}, type);
                if (turn % 2 == 0) s.flags |= RMS;
                s.residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = sum};
                if (turn % 3 == 1) s.residual.bias_type = F32;
                s.residual.rounded = turn % 4 == 3;
                s.residual.in_place = type == sum && turn % 4 < 2;
                cases.push_back({s, turn % 5 == 0 ? content::mixed : content::ordinary, false, columns < 50});
                ++turn;
            }
    for (const auto type : {F32, BF16, F64}) {
        setup s = of_type({.kind = BACKWARD, .flags = SCALE, .dims = {12, 45}, .seed = 1401}, type);
        s.residual = {.added = "", .sum = "dense", .sum_type = BF16};
        cases.push_back({s});
    }
}

// What dst is made of, beside it.
void add_unquantized(list &cases) {
    const jitnorm_data_type_t types[] = {F32, BF16, F16, F64};
    size_t turn = 0;
    for (const auto type : types)
        for (const dim_t columns : {45, 600, 5000}) {
            setup s = of_type({.flags = SCALE, .dims = {6, columns}, .dst_type = S8, .seed = 1500}, types[turn++ % 3]);
            s.dst_type = S8;
            s.attr = finding_scales(s.dims);
            s.unquantized = turn % 4 == 3 ? "ba" : "dense";
            s.unquantized_type = type;
            s = with_post_ops(s, {impl::eltwise_post_op{jitnorm_eltwise_gelu_tanh, 0, 0}});
            cases.push_back({s, content::ordinary, false, columns == 45});
        }
}

// ---------------------------------------------------------------- names

std::string name_of(const post_op &op) {
    if (std::holds_alternative<impl::sum_post_op>(op)) return "sum";
    if (const auto *eltwise = std::get_if<impl::eltwise_post_op>(&op)) return std::string(impl::name_of(eltwise->alg));
    const auto &binary = std::get<impl::binary_post_op>(op);
    return std::string(impl::name_of(binary.alg)) + "_" + std::string(impl::name_of(binary.src1.data_type));
}

std::string flags_of(const setup &s) {
    std::string text;
    for (const auto &[flag, letter] :
         {std::pair(GLOBAL, 'g'), {SCALE, 'c'}, {SHIFT, 'h'}, {RMS, 'm'}, {jitnorm_scale_plus_one, 'p'}})
        if (s.flags & flag) text += letter;
    return text.empty() ? "-" : text;
}

const char *kind_of(const setup &s) {
    return s.kind == BACKWARD        ? "backward"
           : s.kind == BACKWARD_DATA ? "backward_data"
           : s.kind == INFERENCE     ? "inference"
                                     : "training";
}

const char *content_of(const golden_case &c) {
    static const char *const NAMES[] = {"",     "constant", "huge_mean", "outlier",  "ramp",
                                        "huge", "tiny",     "denormal",  "infinite", "mixed"};
    return NAMES[size_t(c.src)];
}

std::string types_of(const setup &s, bool is_forward) {
    const auto name = [](jitnorm_data_type_t type) { return std::string(impl::name_of(type)); };
    std::string text = name(s.src_type) + ":" + name(s.dst_type);
    if (!is_forward) text += ":" + name(s.diff_src_type);
    if (s.affine_type != F32) text += " affine " + name(s.affine_type);
    if (s.gradient_type != jitnorm_data_type_undef) text += " gradients " + name(s.gradient_type);
    if (s.statistics_type != F32) text += " statistics " + name(s.statistics_type);
    return text;
}

std::string layouts_of(const setup &s, bool is_forward) {
    std::string text = s.src + ":" + s.dst;
    if (!is_forward) text += ":" + s.diff_src;
    if (s.statistics != "dense") text += " statistics " + s.statistics;
    return text;
}

std::string description_of(const golden_case &c) {
    const setup &s = c.s;
    const bool is_forward = make_problem(s).is_forward();
    std::string text = std::string(kind_of(s)) + " " + flags_of(s) + " ";
    for (size_t d = 0; d < s.dims.size(); ++d) text += (d == 0 ? "" : "x") + std::to_string(s.dims[d]);
    text += " " + types_of(s, is_forward) + " " + layouts_of(s, is_forward);
    if (s.axes > 1) text += " axes " + std::to_string(s.axes);
    if (s.form == statistics_form::inverse_deviation) text += " inverse_deviations";
    if (s.attr.src_scale) text += " src_scale";
    if (s.attr.dst_scale) text += " dst_scale";
    if (s.attr.found_scales.ndims != 0)
        text += " found_scales " + std::to_string(s.attr.found_scales.dims[s.dims.size() - 1]);
    for (const post_op &op : s.attr.post_ops.entries) text += " +" + name_of(op);
    if (!s.residual.added.empty()) text += " residual " + std::string(impl::name_of(s.residual.type));
    if (!s.residual.sum.empty()) text += " sum " + std::string(impl::name_of(s.residual.sum_type));
    if (s.residual.bias_type != jitnorm_data_type_undef) text += " bias";
    if (s.residual.rounded) text += " rounded";
    if (s.residual.in_place) text += " sum_in_place";
    if (!s.unquantized.empty()) text += " unquantized " + std::string(impl::name_of(s.unquantized_type));
    if (s.in_place) text += " in_place";
    if (c.runtime_sizes) text += " runtime_sizes";
    if (c.src != content::ordinary) text += std::string(" ") + content_of(c);
    return text + " seed " + std::to_string(s.seed);
}

// Bochs 2.7 rounds numbers halfway between two of f16 away from zero, where processors take the even one.
bool writes_f16(const setup &s) {
    const auto types = {s.dst_type, s.diff_src_type, s.statistics_type, s.affine_type, s.gradient_type};
    return std::find(types.begin(), types.end(), F16) != types.end();
}

} // namespace

std::vector<golden_case> golden_cases() {
    list cases;
    for (const auto add :
         {add_lengths, add_flags, add_types, add_layouts, add_eltwise, add_binary, add_chains, add_contents, add_ways,
          add_backward_lengths, add_backward_rows, add_backward_flags_and_types, add_backward_layouts, add_quantizing,
          add_residuals, add_unquantized})
        add(cases);
    for (golden_case &c : cases) {
        c.name = description_of(c);
        c.emulated = c.emulated && !writes_f16(c.s);
    }
    return cases;
}

} // namespace jitnorm::tests
