// SPDX-License-Identifier: Apache-2.0
// Models like those that people have: a block of BERT and one of Llama, with random weights.
#include "models.hpp"
#include "norms.hpp"

using namespace support;

namespace {

void compare(const model &m, const tensors &inputs, const std::string &statistics) {
    auto ours = open(m);
    const tensors got = ours->run(inputs);
    for (const auto &[name, result] : session(m, {.jitnorm = false}).run(inputs))
        expect_near(got.at(name), result.values(), 1e-5, name.c_str());
    EXPECT_EQ(statistics_line(std::move(ours)), "statistics:" + statistics);
}

} // namespace

TEST(models, like_bert_give_the_results_of_the_cpu_provider) {
    const transformer shape{.hidden = 64, .heads = 4, .inner = 128, .layers = 2};
    compare(bert(shape), inputs_of_model(shape, 2, 9, true),
            " LayerNormalization: 1 nodes, 1 runs; LayerNormalization with two Add: 4 nodes, 4 runs;");
}

TEST(models, like_llama_give_the_results_of_the_cpu_provider) {
    const transformer shape{.hidden = 64, .heads = 4, .inner = 128, .layers = 2};
    compare(llama(shape), inputs_of_model(shape, 2, 9, false),
            " SimplifiedLayerNormalization: 1 nodes, 1 runs; SimplifiedLayerNormalization with Add: 4 nodes, 4 runs;");
}
