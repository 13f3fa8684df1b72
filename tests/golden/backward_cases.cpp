// SPDX-License-Identifier: Apache-2.0
// Backward: every length, number of rows, flag, type and layout.
#include "cases.hpp"

namespace jitnorm::tests {

namespace {

void add_backward_lengths(list &cases) {
    const jitnorm_data_type_t others[] = {BF16, F64, F16};
    const unsigned flags[] = {USE_SCALE | USE_SHIFT, USE_SCALE, RMS | USE_SCALE, 0};
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
        cases.push_back({of_type({.kind = BACKWARD, .flags = USE_SCALE | RMS, .dims = {300, 96}, .seed = 1103}, type)});
    }
}

void add_backward_flags_and_types(list &cases) {
    for (unsigned flags = 0; flags < 8; ++flags)
        for (const auto kind : {BACKWARD, BACKWARD_DATA}) {
            const unsigned each =
                (flags & 1 ? GLOBAL : 0) | (flags & 2 ? USE_SCALE | USE_SHIFT : 0) | (flags & 4 ? RMS : 0);
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

} // namespace

void add_backward(list &cases) {
    for (const auto add : {add_backward_lengths, add_backward_rows, add_backward_flags_and_types, add_backward_layouts})
        add(cases);
}

} // namespace jitnorm::tests
