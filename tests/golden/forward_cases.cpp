// SPDX-License-Identifier: Apache-2.0
// Forward: every length, flag, pair of types, kind of layout, post-op and way through the executors.
#include "cases.hpp"
#include "norm/attributes.hpp"

namespace jitnorm::tests {

namespace {

void add_lengths(list &cases) {
    const jitnorm_data_type_t others[] = {BF16, F64, F16};
    const unsigned flags[] = {USE_SCALE | USE_SHIFT, 0, USE_SCALE, USE_SHIFT};
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
                const unsigned each = (flags & 1 ? GLOBAL : 0) | (flags & 2 ? USE_SCALE : 0) |
                                      (flags & 4 ? USE_SHIFT : 0) | (flags & 8 ? RMS : 0);
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

// In the order of their digests; newer algorithms follow in the order of their numbers.
const jitnorm_alg_kind_t FIRST_ELTWISE[] = {
    jitnorm_eltwise_relu,     jitnorm_eltwise_tanh,      jitnorm_eltwise_square,      jitnorm_eltwise_abs,
    jitnorm_eltwise_sqrt,     jitnorm_eltwise_linear,    jitnorm_eltwise_hardsigmoid, jitnorm_eltwise_logistic,
    jitnorm_eltwise_exp,      jitnorm_eltwise_clip,      jitnorm_eltwise_clip_v2,     jitnorm_eltwise_gelu_tanh,
    jitnorm_eltwise_gelu_erf, jitnorm_eltwise_hardswish, jitnorm_eltwise_swish,       jitnorm_eltwise_elu,
    jitnorm_eltwise_log,      jitnorm_eltwise_soft_relu, jitnorm_eltwise_mish,        jitnorm_eltwise_pow,
    jitnorm_eltwise_round};
const jitnorm_alg_kind_t BINARY[] = {
    jitnorm_binary_add, jitnorm_binary_mul, jitnorm_binary_max,      jitnorm_binary_min,         jitnorm_binary_div,
    jitnorm_binary_sub, jitnorm_binary_ge,  jitnorm_binary_gt,       jitnorm_binary_le,          jitnorm_binary_lt,
    jitnorm_binary_eq,  jitnorm_binary_ne,  jitnorm_binary_mul_silu, jitnorm_binary_mul_plus_one};

std::vector<jitnorm_alg_kind_t> every_eltwise() {
    std::vector<jitnorm_alg_kind_t> algorithms(std::begin(FIRST_ELTWISE), std::end(FIRST_ELTWISE));
    for (const auto alg : impl::ELTWISE_ALGORITHMS)
        if (std::ranges::find(FIRST_ELTWISE, alg) == std::end(FIRST_ELTWISE)) algorithms.push_back(alg);
    return algorithms;
}

setup with_post_ops(setup s, std::vector<post_op> entries) {
    s.attr.post_ops.entries = std::move(entries);
    return s;
}

void add_eltwise(list &cases) {
    size_t turn = 0;
    for (const auto alg : every_eltwise()) {
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
            const unsigned flags = turn++ % 3 == 1 ? RMS : USE_SCALE | USE_SHIFT;
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

} // namespace

void add_forward(list &cases) {
    for (const auto add :
         {add_lengths, add_flags, add_types, add_layouts, add_eltwise, add_binary, add_chains, add_contents, add_ways})
        add(cases);
}

} // namespace jitnorm::tests
