// SPDX-License-Identifier: Apache-2.0
// What happens between the attention and the first matrix multiplication of the feed-forward part of a block, in one
// call:
//
//     x = x + attention                            # the residual
//     y = x * rsqrt(mean(x ** 2) + 1e-6) * gamma   # RMSNorm
//     scale = abs(y).max(-1) / 127                 # to int8, a scale for each token
//     q = round(y / scale)
#include <jitnorm/jitnorm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace jitnorm;

int main() {
    const memory::dim tokens = 2, width = 4;
    std::vector<float> x = {1, 2, 3, 4, 0, 3, 0, 4}, attention = {1, 0, -1, -2, 0, 0, 0, 0}, gamma = {1, 1, 4, 0.5f};
    std::vector<float> scale(tokens);
    std::vector<int8_t> q(x.size());

    std::vector<float> expected = x; // the same in plain loops
    for (size_t i = 0; i < x.size(); ++i) expected[i] += attention[i];

    const engine cpu(engine::kind::cpu, 0);
    stream on(cpu);
    const memory::desc hidden({tokens, width}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc integers({tokens, width}, memory::data_type::s8, memory::format_tag::ab);
    const memory::desc weights({width}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc scales({tokens, 1}, memory::data_type::f32, memory::format_tag::ab);

    primitive_attr attr;
    attr.set_residual(hidden, hidden); // added, and kept for the next block
    attr.set_scales(JITNORM_ARG_DST, 1, {}, memory::data_type::f32, false, quantization_mode::dynamic_amax);
    const layer_normalization_forward::primitive_desc block(
        cpu, prop_kind::forward_inference, hidden, integers, 1e-6f,
        normalization_flags::use_scale | normalization_flags::rms_norm, attr);

    // The residual stream is updated in place.
    layer_normalization_forward(block).execute(
        on, {{JITNORM_ARG_SRC, memory(hidden, cpu, attention.data())},
             {JITNORM_ARG_SRC_1, memory(hidden, cpu, x.data())},
             {JITNORM_ARG_DST_1, memory(hidden, cpu, x.data())},
             {JITNORM_ARG_SCALE, memory(weights, cpu, gamma.data())},
             {JITNORM_ARG_DST, memory(integers, cpu, q.data())},
             {JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_DST, memory(scales, cpu, scale.data())}});
    on.wait();

    for (size_t token = 0; token < scale.size(); ++token) {
        const float *row = &expected[token * gamma.size()];
        float squares = 0, largest = 0;
        for (size_t c = 0; c < gamma.size(); ++c) squares += row[c] * row[c];
        std::printf("token %zu: scale %.6f, x and q", token, static_cast<double>(scale[token]));
        for (size_t c = 0; c < gamma.size(); ++c) {
            const float y = row[c] / std::sqrt(squares / 4 + 1e-6f) * gamma[c];
            const size_t i = token * gamma.size() + c;
            largest = std::max(largest, std::fabs(y));
            if (x[i] != row[c] || std::fabs(y - q[i] * scale[token]) > scale[token] * 0.501f) return 1;
            std::printf("  %g %d", static_cast<double>(x[i]), q[i]);
        }
        std::printf("\n");
        if (std::fabs(scale[token] - largest / 127) > 1e-6f) return 1;
    }
}
