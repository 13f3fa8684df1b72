// SPDX-License-Identifier: Apache-2.0
// An operator as a framework has it: made once for any number of rows, executed with the number that each batch has, on
// the framework's own threads. The results have the same bits as on OpenMP's threads.
#include <jitnorm/jitnorm.hpp>

#include <cstdio>
#include <thread>
#include <vector>

using namespace jitnorm;

namespace {

// Stands for the framework's pool, whose threads would wait for work instead of being started for each call.
constexpr int POOL_THREADS = 3;
void run_on_pool(void * /*context*/, int count, void (*body)(void *argument, int index), void *argument) {
    std::vector<std::thread> threads;
    for (int i = 1; i < count; ++i) threads.emplace_back([=] { body(argument, i); });
    body(argument, 0);
    for (std::thread &one : threads) one.join();
}

// Normalizes rows of a fixed length and multiplies them by a weight, as RMSNorm does.
class rms_norm {
public:
    rms_norm(const engine &on, memory::dim columns)
        : engine_(on), columns_(columns), weights_({columns}, memory::data_type::f32, memory::format_tag::a),
          primitive_(description(on, columns)) {}

    // src and dst have rows x columns elements, weight has columns.
    void operator()(stream &on, memory::dim rows, const float *src, const float *weight, float *dst) const {
        const memory::desc data({rows, columns_}, memory::data_type::f32, memory::format_tag::ab);
        primitive_.execute(on, {{JITNORM_ARG_SRC, memory(data, engine_, const_cast<float *>(src))},
                                {JITNORM_ARG_SCALE, memory(weights_, engine_, const_cast<float *>(weight))},
                                {JITNORM_ARG_DST, memory(data, engine_, dst)}});
    }

private:
    static layer_normalization_forward description(const engine &on, memory::dim columns) {
        const memory::desc data({JITNORM_RUNTIME_DIM_VAL, columns}, memory::data_type::f32, memory::format_tag::ab);
        const auto flags = normalization_flags::use_scale | normalization_flags::rms_norm;
        return layer_normalization_forward({on, prop_kind::forward_inference, data, data, 1e-6f, flags});
    }

    engine engine_;
    memory::dim columns_;
    memory::desc weights_;
    layer_normalization_forward primitive_;
};

} // namespace

int main() {
    constexpr memory::dim COLUMNS = 768;
    const engine cpu(engine::kind::cpu, 0);
    stream on_openmp(cpu), on_pool(cpu, thread_pool{run_on_pool, nullptr, POOL_THREADS});
    const rms_norm norm(cpu, COLUMNS);

    const std::vector<float> weight(size_t(COLUMNS), 0.5f);
    for (const memory::dim rows : {1, 37, 512}) {
        std::vector<float> src(size_t(rows * COLUMNS)), first(src.size()), second(src.size());
        for (size_t i = 0; i < src.size(); ++i) src[i] = float(i % 11) - 5;
        norm(on_openmp, rows, src.data(), weight.data(), first.data());
        norm(on_pool, rows, src.data(), weight.data(), second.data());
        std::printf("%3d rows: %s bits\n", int(rows), first == second ? "the same" : "other");
    }
}
