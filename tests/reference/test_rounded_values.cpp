// SPDX-License-Identifier: Apache-2.0
// jitnorm_round_normalized against the chain of operations that it stands for, each of which stores its result in the
// type that PyTorch gives it: the normalization without scale and shift, the product, and what follows.
#include <cmath>
#include <functional>

#include "math/convert.hpp"
#include "support/accuracy.hpp"
#include "support/equality.hpp"

namespace jitnorm::tests {
namespace {

constexpr auto F32 = jitnorm_f32, BF16 = jitnorm_bf16, F16 = jitnorm_f16;
constexpr auto INFERENCE = jitnorm_forward_inference;
constexpr unsigned SCALED = jitnorm_use_scale, SHIFTED = jitnorm_use_shift, RMS = jitnorm_rms_norm,
                   ROUNDED = jitnorm_round_normalized;

double stored(jitnorm_data_type_t type, double x) {
    return impl::visit_data_type(type, [&]<typename Stored>(impl::stored_as<Stored>) {
        return double(impl::widen<float>(impl::narrow<Stored>(float(x))));
    });
}

std::vector<double> results_of(const setup &s) { return outputs_by(reference_entry, s)[DST]; }

// The values as they are before they are rounded, scaled and shifted.
std::vector<double> normalized(setup s) {
    s.flags &= RMS;
    s.dst_type = F32;
    s.attr.post_ops.entries.clear();
    return results_of(s);
}

// What a scale and a shift in `weights` make of values in `values`, and the type of that.
jitnorm_data_type_t type_of_both(jitnorm_data_type_t values, jitnorm_data_type_t weights) {
    return values == weights ? values : F32;
}

// `type`: of the normalized values.
void expect_chain(const setup &s, jitnorm_data_type_t type, const std::function<double(double, size_t)> &last) {
    run r(s);
    const std::vector<double> xhat = normalized(s), scale = r[SCALE].values(), shift = r[SHIFT].values();
    r.execute();
    const std::vector<double> got = r[DST].values();
    const bool has_weights = (s.flags & (SCALED | SHIFTED)) != 0;
    size_t rounded_otherwise = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const size_t c = i % size_t(s.dims.back());
        const auto with = [&](double x) {
            const auto w = float(scale.empty() ? 1 : scale[c]), b = float(shift.empty() ? 0 : shift[c]);
            const float y = shift.empty() ? float(x) * w : std::fma(float(x), w, b);
            return stored(s.dst_type, last(stored(has_weights ? type_of_both(type, s.affine_type) : type, y), i));
        };
        ASSERT_EQ(got[i], with(stored(type, xhat[i]))) << s << ", element " << i;
        rounded_otherwise += got[i] != with(xhat[i]);
    }
    if (type != F32 && (s.flags & SCALED) != 0) {
        EXPECT_GT(rounded_otherwise, 0U) << s;
    }
}
double itself(double y, size_t) { return y; }

TEST(rounded_values, are_those_of_a_chain_of_operations) {
    for (const auto type : {BF16, F16, F32})
        for (const auto weights : {BF16, F16, F32})
            for (const auto dst : {BF16, F16, F32})
                for (const unsigned flags : {0U, SCALED, SCALED | RMS, SCALED | SHIFTED, SHIFTED | RMS})
                    expect_chain({.kind = INFERENCE,
                                  .flags = flags | ROUNDED,
                                  .dims = {9, 77},
                                  .src_type = type,
                                  .dst_type = dst,
                                  .affine_type = weights},
                                 type, itself);
}

// As a gate after the normalization multiplies what was stored.
TEST(rounded_values, are_stored_before_a_post_op) {
    for (const auto weights : {BF16, F32}) {
        setup s = {.kind = INFERENCE,
                   .flags = SCALED | RMS | ROUNDED,
                   .dims = {9, 77},
                   .src_type = BF16,
                   .affine_type = weights};
        s.attr.post_ops.entries = {impl::binary_post_op{jitnorm_binary_mul, dense(s.dims)}};
        const std::vector<double> gate = run(s).operand(0).values();
        expect_chain(s, BF16, [&](double y, size_t i) { return double(float(y) * float(gate[i])); });
    }
}

// With the type of the sum, whether the sum is normalized as it is stored or as it was computed; a product with silu,
// which models do not store, with that of src.
TEST(rounded_values, have_the_type_of_the_sum_with_a_residual) {
    for (const auto src : {BF16, F32})
        for (const auto sum : {BF16, F32})
            for (const bool rounded : {false, true})
                for (const bool silu : {false, true}) {
                    setup s = {.kind = INFERENCE, .flags = SCALED | RMS | ROUNDED, .dims = {9, 77}, .src_type = src};
                    s.residual = {.added = "dense", .sum = "dense", .type = BF16, .sum_type = sum, .rounded = rounded};
                    s.residual.silu = silu;
                    expect_chain(s, silu ? src : sum, itself);
                    if (rounded) continue;
                    s.residual.sum = "";
                    expect_chain(s, src, itself);
                }
}

TEST(rounded_values, make_the_gradient_of_scale) {
    for (const auto type : {BF16, F16, F32})
        for (const unsigned flags : {SCALED, SCALED | RMS, SCALED | SHIFTED | jitnorm_use_global_stats}) {
            setup s = {.kind = jitnorm_backward, .flags = flags, .dims = {4, 77}, .src_type = type};
            const outputs plain = outputs_by(reference_entry, s);
            s.flags |= ROUNDED;
            run r(s);
            const benchdnn_lite::expectations expected = solve(r.question()).diff_scale;
            r.execute();
            const std::vector<double> got = r[DIFF_SCALE].values();
            size_t others = 0;
            for (size_t c = 0; c < got.size(); ++c) {
                EXPECT_NEAR(got[c], double(expected[c].value), double(expected[c].tolerance)) << s << ", column " << c;
                others += std::fabs(plain[DIFF_SCALE][c] - got[c]) > double(expected[c].tolerance);
            }
            EXPECT_EQ(others > got.size() / 2, type != F32) << s;
            for (const slot other : {DIFF_SRC, DIFF_SHIFT})
                EXPECT_TRUE(same_bits(plain[other], r[other].values())) << s;
        }
}

} // namespace
} // namespace jitnorm::tests
