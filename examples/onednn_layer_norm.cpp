// SPDX-License-Identifier: Apache-2.0
// A program for oneDNN, which runs with jitnorm unchanged: normalizes the rows of a tensor in place, with a scale and a
// shift for each column, and keeps their statistics. The library decides on layouts: memories are made from
// the descriptors of the primitive descriptor. With jitnorm: target_link_libraries(program jitnorm::onednn).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace {

using dnnl::layer_normalization_forward;
using dnnl::memory;

// Time, batch, channels.
constexpr memory::dim T = 2, N = 3, C = 4;

const auto FLAGS = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
constexpr float EPSILON = 1e-6f;

// In version 2 a primitive descriptor is created from a descriptor of the operation.
layer_normalization_forward::primitive_desc describe(const dnnl::engine &engine, const memory::desc &rows) {
    const auto kind = dnnl::prop_kind::forward_training;
#if DNNL_VERSION_MAJOR >= 3
    return {engine, kind, rows, rows, EPSILON, FLAGS};
#else
    return {{kind, rows, EPSILON, FLAGS}, engine};
#endif
}

memory make_memory(const memory::desc &md, const dnnl::engine &engine, const std::vector<float> &values) {
    memory made(md, engine);
    if (md.get_size() != values.size() * sizeof(float)) std::abort();
    std::memcpy(made.get_data_handle(), values.data(), md.get_size());
    return made;
}

void print(const char *name, const memory &values, int count, int columns) {
    const auto *data = static_cast<const float *>(values.get_data_handle());
    for (int i = 0; i < count; ++i)
        std::printf("%s%9.3f%s", i % columns == 0 ? name : "", data[i], (i + 1) % columns == 0 ? "\n" : "");
}

void run() {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);

    const memory::desc rows({T, N, C}, memory::data_type::f32, memory::format_tag::tnc);
    const layer_normalization_forward::primitive_desc desc = describe(engine, rows);

    std::vector<float> values;
    for (int i = 0; i < T * N * C; ++i) values.push_back(float(i * i));
    const memory data = make_memory(desc.src_desc(), engine, values);
    const memory::desc columns({C}, memory::data_type::f32, memory::format_tag::x);
    const memory scale = make_memory(columns, engine, {1, 1, 2, 2}), shift = make_memory(columns, engine, {0, 1, 0, 1});
    const memory mean(desc.mean_desc(), engine), variance(desc.variance_desc(), engine);

    const std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, data},    {DNNL_ARG_DST, data},
                                                       {DNNL_ARG_MEAN, mean},   {DNNL_ARG_VARIANCE, variance},
                                                       {DNNL_ARG_SCALE, scale}, {DNNL_ARG_SHIFT, shift}};
    layer_normalization_forward(desc).execute(stream, arguments);
    stream.wait();

    print("row     ", data, T * N * C, C);
    print("mean    ", mean, T * N, T * N);
    print("variance", variance, T * N, T * N);
}

} // namespace

int main() {
    try {
        run();
    } catch (const dnnl::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
