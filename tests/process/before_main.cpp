// SPDX-License-Identifier: Apache-2.0
// Creation and execution before main(), from the initializer of a static object that comes before the library's, with
// an attribute scale.
#include <cmath>

#include "rig/work.hpp"

using namespace jitnorm::tests;

namespace {

void add(std::vector<jitnorm_exec_arg_t> &args, jitnorm_engine_t engine, int argument, const_jitnorm_memory_desc_t md,
         float *data) {
    jitnorm_memory_t memory = nullptr;
    need(jitnorm_memory_create(&memory, md, engine, data), "memory");
    args.push_back({argument, memory});
}

jitnorm_primitive_desc_t scaled_forward(jitnorm_engine_t engine) {
    const jitnorm_dim_t dims[] = {2, 2};
    jitnorm_memory_desc_t md = nullptr;
    jitnorm_primitive_attr_t attr = nullptr;
    jitnorm_primitive_desc_t result = nullptr;
    need(jitnorm_memory_desc_create_with_tag(&md, 2, dims, jitnorm_f32, jitnorm_ab), "memory descriptor");
    need(jitnorm_primitive_attr_create(&attr), "attributes");
    need(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0), "scale");
    need(jitnorm_layer_normalization_forward_primitive_desc_create(
             &result, engine, jitnorm_forward_inference, md, md, nullptr, 0.F, jitnorm_normalization_flags_none, attr),
         "primitive descriptor");
    need(jitnorm_primitive_attr_destroy(attr), "end of the attributes");
    need(jitnorm_memory_desc_destroy(md), "end of the memory descriptor");
    return result;
}

std::vector<float> run_scaled(float factor) {
    std::vector<float> src = {1, 3, 30, 10}, dst(4), scale = {factor};
    jitnorm_engine_t engine = nullptr;
    jitnorm_stream_t stream = nullptr;
    jitnorm_primitive_t primitive = nullptr;
    need(jitnorm_engine_create(&engine, jitnorm_cpu, 0), "engine");
    need(jitnorm_stream_create(&stream, engine, jitnorm_stream_default_flags), "stream");
    const jitnorm_primitive_desc_t desc = scaled_forward(engine);
    need(jitnorm_primitive_create(&primitive, desc), "primitive");
    const auto md_of = [&](int argument) {
        return jitnorm_primitive_desc_query_md(desc, jitnorm_query_exec_arg_md, argument);
    };
    std::vector<jitnorm_exec_arg_t> args;
    add(args, engine, JITNORM_ARG_SRC, md_of(JITNORM_ARG_SRC), src.data());
    add(args, engine, JITNORM_ARG_DST, md_of(JITNORM_ARG_DST), dst.data());
    constexpr int SCALE = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC;
    const jitnorm_dim_t one[] = {1};
    jitnorm_memory_desc_t of_scale = nullptr;
    need(jitnorm_memory_desc_create_with_tag(&of_scale, 1, one, jitnorm_f32, jitnorm_a), "the scale's descriptor");
    need(jitnorm_memory_desc_equal(md_of(SCALE), of_scale) != 0, "what the primitive says of its scale");
    add(args, engine, SCALE, of_scale, scale.data());
    need(jitnorm_primitive_execute(primitive, stream, int(args.size()), args.data()), "execution");
    for (const jitnorm_exec_arg_t &a : args) need(jitnorm_memory_destroy(a.memory), "end of a memory");
    need(jitnorm_memory_desc_destroy(of_scale), "end of the scale's descriptor");
    need(jitnorm_primitive_destroy(primitive), "end of the primitive");
    need(jitnorm_primitive_desc_destroy(desc), "end of the descriptor");
    need(jitnorm_stream_destroy(stream), "end of the stream");
    need(jitnorm_engine_destroy(engine), "end of the engine");
    return dst;
}

const std::vector<float> before_main = run_scaled(3);
const std::vector<unsigned char> gradients_before_main = work().run();

} // namespace

int main() {
    need(before_main == std::vector<float>({-3, 3, 3, -3}), "the values computed before main");
    need(before_main == run_scaled(3), "the same values in main");
    need(gradients_before_main == work().run(), "the same gradients in main");
    return 0;
}
