// SPDX-License-Identifier: Apache-2.0
// Which data types validate() accepts, tensor by tensor.
#include "validation.hpp"

using namespace jitnorm::impl;
using namespace jitnorm::impl::layer_norm;
using namespace jitnorm::tests;

namespace {

TEST(validate, statistics_types) {
    for (const problem &start : {forward_problem(), backward_problem()}) {
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16})
            accepts(start, [&](problem &p) { p[VARIANCE] = dense({4, 6}, type); });
        for (const auto type : {jitnorm_f64, jitnorm_s32, jitnorm_s8, jitnorm_u8})
            is_unsupported(start, [&](problem &p) { p[VARIANCE] = dense({4, 6}, type); });
    }
}

TEST(validate, forward_types) {
    for (const auto src : ALL_TYPES)
        for (const auto dst : ALL_TYPES) {
            const bool supported = src != jitnorm_s32 && dst != jitnorm_s32;
            expect(supported ? jitnorm_success : jitnorm_unimplemented, forward_problem(), [&](problem &p) {
                p[SRC].data_type = src;
                p[DST].data_type = dst;
            });
        }
    for (const auto f8 : {jitnorm_f8_e5m2, jitnorm_f8_e4m3}) {
        for (const auto src : {jitnorm_f32, jitnorm_bf16, jitnorm_f64, jitnorm_s8})
            accepts(forward_problem(), [&](problem &p) {
                p[SRC].data_type = src;
                p[DST].data_type = f8;
            });
        is_unsupported(forward_problem(), [&](problem &p) { p[SRC].data_type = f8; });
        is_unsupported(forward_problem(), [&](problem &p) { p[VARIANCE].data_type = f8; });
    }
    is_invalid(forward_problem(), [](problem &p) { p[DST].data_type = jitnorm_data_type_undef; });
    is_invalid(forward_problem(), [](problem &p) { p[SRC].data_type = jitnorm_data_type_undef; });
}

TEST(validate, backward_types) {
    for (const auto member : {SRC, DIFF_DST, DIFF_SRC}) {
        for (const auto type : {jitnorm_f32, jitnorm_bf16, jitnorm_f16, jitnorm_f64})
            accepts(backward_problem(), [&](problem &p) { p[member].data_type = type; });
        for (const auto type : {jitnorm_s8, jitnorm_u8, jitnorm_s32, jitnorm_f8_e5m2, jitnorm_f8_e4m3})
            is_unsupported(backward_problem(), [&](problem &p) { p[member].data_type = type; });
    }
}

TEST(validate, scale_and_shift_types) {
    for (const unsigned flags : {unsigned(jitnorm_use_scale), unsigned(jitnorm_use_shift)})
        for (const auto type : ALL_TYPES) {
            const bool supported = type == jitnorm_f32 || type == jitnorm_bf16 || type == jitnorm_f16;
            const auto status = supported ? jitnorm_success : jitnorm_unimplemented;
            const auto given = [&](problem &p) { p.flags = flags, p.scale_shift_type = type; };
            const auto gradient = [&](problem &p) { p.flags = flags, p.diff_scale_shift_type = type; };
            expect(status, forward_problem(), given);
            expect(status, backward_problem(), given);
            expect(status, backward_problem(), gradient);
            accepts(forward_problem(), gradient);
            accepts(make_problem(jitnorm_backward_data, {4, 8}), gradient);
        }
    accepts(make_problem(setup{.src_type = jitnorm_f64, .affine_type = jitnorm_f64})); // where data is f64
    accepts(make_problem(setup{.kind = jitnorm_backward, .dst_type = jitnorm_f64, .affine_type = jitnorm_f64}));
    is_invalid(forward_problem(), [](problem &p) {
        p.flags = jitnorm_use_scale;
        p.scale_shift_type = jitnorm_data_type_undef;
    });
    accepts(forward_problem(), [](problem &p) { p.scale_shift_type = jitnorm_data_type_undef; });
}

} // namespace
