// SPDX-License-Identifier: Apache-2.0
// Operations fused with a normalization, forward and backward, and the library's own flags.
#include "cases.hpp"

namespace jitnorm::tests {

namespace {

// Scales that the library finds, 8-bit floats, and each flag that says how scale or shift is used.
void add_quantizing(list &cases) {
    constexpr jitnorm_data_type_t types[] = {S8, U8, jitnorm_f8_e5m2, jitnorm_f8_e4m3};
    unsigned seed = 1400;
    for (const auto type : types)
        for (const auto &[columns, per_row] : {std::pair<dim_t, dim_t>{77, 1}, {768, 6}, {5000, 1}, {18000, 4}}) {
            setup s = {.flags = USE_SCALE | RMS, .dims = {6, columns}, .dst_type = type, .seed = ++seed};
            s.dynamic_scales = scales_of(s.dims, per_row);
            cases.push_back({s, content::ordinary, false, columns == 77});
        }
    for (const auto type : {jitnorm_f8_e5m2, jitnorm_f8_e4m3})
        for (const auto what : {content::ordinary, content::mixed})
            cases.push_back({{.dims = {9, 100}, .dst_type = type, .seed = ++seed}, what});
    for (const unsigned flag : {
#define FLAG(...)
#define AFFINE_FLAG(name, number, letter, needed) unsigned(jitnorm_##name) | jitnorm_##needed,
#include "../../tables/normalization_flags.inc"
         })
        for (const auto kind : {jitnorm_forward_training, BACKWARD})
            for (const unsigned flags : {flag | RMS, flag | USE_SCALE | USE_SHIFT})
                cases.push_back({of_type({.kind = kind, .flags = flags, .dims = {9, 70}, .seed = ++seed}, BF16)});
}

// Sums that are normalized from their output, from a tile, rounded; chunks of long rows; gradients with a second
// source.
void add_residuals(list &cases) {
    size_t turn = 0;
    for (const dim_t columns : {5, 37, 64, 700, 4096, 9000})
        for (const auto type : {F32, BF16, F64})
            for (const auto sum : {F32, BF16}) {
                setup s = of_type({.flags = USE_SCALE, .dims = {rows_for(columns, turn), columns}, .seed = 1400}, type);
                if (turn % 2 == 0) s.flags |= RMS;
                s.residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = sum};
                if (turn % 3 == 1) s.residual.bias_type = F32;
                s.residual.rounded = turn % 4 == 3;
                s.residual.in_place = type == sum && turn % 4 < 2;
                cases.push_back({s, turn % 5 == 0 ? content::mixed : content::ordinary, false, columns < 50});
                ++turn;
            }
    for (const dim_t columns : {5, 77, 768, 9000})
        for (const auto type : {F32, BF16, F64}) { // gates before the normalization
            setup s = of_type({.flags = USE_SCALE | RMS, .dims = {6, columns}, .seed = 1402}, type);
            s.residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = type, .silu = true};
            cases.push_back({s, content::ordinary, false, columns == 77});
        }
    for (const auto type : {F32, BF16, F64}) {
        setup s = of_type({.kind = BACKWARD, .flags = USE_SCALE, .dims = {12, 45}, .seed = 1401}, type);
        s.residual = {.added = "", .sum = "dense", .sum_type = BF16};
        cases.push_back({s});
    }
}

// What dst is made of, beside it.
void add_pre_quantization(list &cases) {
    const jitnorm_data_type_t types[] = {F32, BF16, F16, F64};
    size_t turn = 0;
    for (const auto type : types)
        for (const dim_t columns : {45, 600, 5000}) {
            setup s =
                of_type({.flags = USE_SCALE, .dims = {6, columns}, .dst_type = S8, .seed = 1500}, types[turn++ % 3]);
            s.dst_type = S8;
            s.dynamic_scales = scales_of(s.dims, 1);
            s.pre_quantization = turn % 4 == 3 ? "ba" : "dense";
            s.pre_quantization_type = type;
            s.attr.post_ops.entries = {impl::eltwise_post_op{jitnorm_eltwise_gelu_tanh, 0, 0}};
            cases.push_back({s, content::ordinary, false, columns == 45});
        }
}

// Normalized values that are rounded: without attributes, after a residual, before a gate, and in backward.
void add_rounded(list &cases) {
    unsigned seed = 1600;
    for (const auto type : {BF16, F16})
        for (const dim_t columns : {5, 77, 768, 5000}) {
            const bool emulated = columns == 77 && type == BF16;
            setup s = of_type({.flags = USE_SCALE | RMS | jitnorm_round_normalized, .dims = {6, columns}}, type);
            s.affine_type = type;
            s.seed = ++seed;
            cases.push_back({s, content::ordinary, false, emulated});
            s.kind = BACKWARD;
            cases.push_back({s, content::ordinary, false, emulated});
            s.kind = INFERENCE;
            s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul_silu, impl::make_dense(s.dims, type)}};
            cases.push_back({s, content::ordinary, false, emulated});
            s.attr.post_ops.entries.clear();
            s.residual = {.added = "dense", .sum = "dense", .type = type, .sum_type = type, .rounded = true};
            cases.push_back({s, content::mixed, false, emulated});
        }
}

} // namespace

void add_fused(list &cases) {
    for (const auto add : {add_quantizing, add_residuals, add_pre_quantization, add_rounded}) add(cases);
}

} // namespace jitnorm::tests
