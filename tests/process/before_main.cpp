// SPDX-License-Identifier: Apache-2.0
// Creation and execution before main(), from the initializer of a static object that comes before the library's, with
// an attribute scale.

#include "work.hpp"

using namespace jitnorm::tests;

namespace {

std::vector<float> run_scaled(float factor) {
    constexpr int SCALE = JITNORM_ARG_ATTR_SCALES | JITNORM_ARG_SRC;
    std::vector<float> src = {1, 3, 30, 10}, dst(4), scale = {factor};
    const owned_md md = make_md({2, 2}, jitnorm_f32);
    const owned_attr attr = make_attr();
    owned_pd desc;
    must(jitnorm_primitive_attr_set_scales_mask(attr, JITNORM_ARG_SRC, 0), "a scale");
    must(jitnorm_layer_normalization_forward_primitive_desc_create(
             &desc, cpu(), jitnorm_forward_inference, md, md, nullptr, 0.F, jitnorm_normalization_flags_none, attr),
         "a primitive descriptor");
    need(jitnorm_memory_desc_equal(md_of(desc, SCALE), make_md({1}, jitnorm_f32)) != 0,
         "what the primitive says of its scale");
    handed_arguments arguments(desc);
    arguments.add(JITNORM_ARG_SRC, src.data());
    arguments.add(JITNORM_ARG_DST, dst.data());
    arguments.add(SCALE, scale.data());
    arguments.execute(make_primitive(desc), make_stream());
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
