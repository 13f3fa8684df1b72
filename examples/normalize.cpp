// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <jitnorm/jitnorm.hpp>
#include <vector>
using namespace jitnorm;

int main() {
    std::vector<float> x = {1, 2, 3, 4}, y(x.size());
    const engine cpu(engine::kind::cpu, 0);
    stream on(cpu);
    const memory::desc rows({1, 4}, memory::data_type::f32, memory::format_tag::ab);
    const layer_normalization_forward::primitive_desc desc(cpu, prop_kind::forward_inference, rows, rows, 1e-5f,
                                                           normalization_flags::none);
    layer_normalization_forward(desc).execute(
        on, {{JITNORM_ARG_SRC, memory(rows, cpu, x.data())}, {JITNORM_ARG_DST, memory(rows, cpu, y.data())}});
    std::printf("%.3f %.3f %.3f %.3f\n", y[0], y[1], y[2], y[3]); // -1.342 -0.447 0.447 1.342
}
