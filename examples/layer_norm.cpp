// SPDX-License-Identifier: Apache-2.0
// Layer normalization with the C++ interface, as training does it: forward with scale and shift, which keeps mean and
// variance, then the gradients of src, scale and shift.
#include <jitnorm/jitnorm.hpp>

#include <cstdio>
#include <vector>

using namespace jitnorm;

namespace {

void print(const char *name, const std::vector<float> &values) {
    std::printf("%-10s", name);
    for (float value : values) std::printf(" %7.3f", value);
    std::printf("\n");
}

} // namespace

int main() {
    const memory::dim rows = 2, columns = 4;
    std::vector<float> src = {1, 2, 3, 4, 10, 20, 30, 40}, dst(src.size()), mean(rows), variance(rows);
    std::vector<float> scale = {1, 2, 3, 4}, shift = {0, 0, 1, 1};
    std::vector<float> diff_dst = {1, 0, 0, 0, 0, 0, 0, 1}, diff_src(src.size()), diff_scale(columns),
                       diff_shift(columns);

    const engine cpu(engine::kind::cpu, 0);
    stream on(cpu);
    const memory::desc data({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
    const memory::desc statistics({rows}, memory::data_type::f32, memory::format_tag::a);
    const memory::desc weights({columns}, memory::data_type::f32, memory::format_tag::a);
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    const float epsilon = 1e-5f;

    const layer_normalization_forward::primitive_desc forward(cpu, prop_kind::forward_training, data, data, statistics,
                                                              epsilon, flags);
    layer_normalization_forward(forward).execute(on, {{JITNORM_ARG_SRC, memory(data, cpu, src.data())},
                                                      {JITNORM_ARG_DST, memory(data, cpu, dst.data())},
                                                      {JITNORM_ARG_MEAN, memory(statistics, cpu, mean.data())},
                                                      {JITNORM_ARG_VARIANCE, memory(statistics, cpu, variance.data())},
                                                      {JITNORM_ARG_SCALE, memory(weights, cpu, scale.data())},
                                                      {JITNORM_ARG_SHIFT, memory(weights, cpu, shift.data())}});

    const layer_normalization_backward::primitive_desc backward(cpu, prop_kind::backward, data, data, data, statistics,
                                                                epsilon, flags, forward);
    layer_normalization_backward(backward).execute(on,
                                                   {{JITNORM_ARG_SRC, memory(data, cpu, src.data())},
                                                    {JITNORM_ARG_DIFF_DST, memory(data, cpu, diff_dst.data())},
                                                    {JITNORM_ARG_MEAN, memory(statistics, cpu, mean.data())},
                                                    {JITNORM_ARG_VARIANCE, memory(statistics, cpu, variance.data())},
                                                    {JITNORM_ARG_SCALE, memory(weights, cpu, scale.data())},
                                                    {JITNORM_ARG_DIFF_SRC, memory(data, cpu, diff_src.data())},
                                                    {JITNORM_ARG_DIFF_SCALE, memory(weights, cpu, diff_scale.data())},
                                                    {JITNORM_ARG_DIFF_SHIFT, memory(weights, cpu, diff_shift.data())}});
    on.wait();

    print("dst", dst);
    print("mean", mean);
    print("variance", variance);
    print("diff_src", diff_src);
    print("diff_scale", diff_scale);
    print("diff_shift", diff_shift);
}
