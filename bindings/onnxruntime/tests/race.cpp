// SPDX-License-Identifier: Apache-2.0
// Times each operator, and blocks of transformers, with the CPU provider and with jitnorm's, in turns in one process,
// and prints tables in Markdown. An argument is the beginning of the only lines that are wanted, such as "f16 Skip".
// JITNORM_TEST_ONNXRUNTIME and JITNORM_TEST_PROVIDER name the two libraries.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>

#include "models.hpp"
#include "norms.hpp"

using namespace support;

namespace {

constexpr int ROUNDS = 40;
constexpr double SECONDS_OF_ROUND = 2e-3;

constexpr int THREADS[] = {1, 2};

std::string wanted; // the only lines that are raced begin with it

// With one thread the time of the processor, which leaves out what others do on the machine; otherwise that of the
// wall.
double now(int threads) {
    timespec time;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// Of a run, after one that brings the caches back from the other contestant.
double seconds_of(const session::bound &body, int count, int threads) {
    body.run();
    const double start = now(threads);
    for (int i = 0; i < count; ++i) body.run();
    return (now(threads) - start) / count;
}

struct times {
    double cpu = 0, jitnorm = 0; // microseconds
};

// With one thread a tenth of the rounds is faster than the result; with several, which wait for each other while other
// programs want the cores, none is.
times race(const model &m, const tensors &inputs, int threads) {
    std::unique_ptr<session> sessions[2]; // the CPU provider's, jitnorm's
    std::unique_ptr<session::bound> bound[2];
    tensors outputs[2];
    int count[2];
    for (const bool jitnorm : {false, true}) {
        sessions[jitnorm] = std::make_unique<session>(m, settings{.jitnorm = jitnorm, .threads = threads});
        outputs[jitnorm] = sessions[jitnorm]->run(inputs);
        bound[jitnorm] = std::make_unique<session::bound>(*sessions[jitnorm], inputs, outputs[jitnorm]);
        seconds_of(*bound[jitnorm], 3, threads);
        count[jitnorm] = int(std::clamp(SECONDS_OF_ROUND / seconds_of(*bound[jitnorm], 3, threads), 1., 1e5));
    }
    std::vector<double> found[2];
    for (int round = 0; round < ROUNDS; ++round)
        for (int i = 0; i < 2; ++i) found[i].push_back(seconds_of(*bound[i], count[i], threads));
    for (auto &all : found) std::sort(all.begin(), all.end());
    const size_t kept = threads == 1 ? ROUNDS / 10 : 0;
    return {found[0][kept] * 1e6, found[1][kept] * 1e6};
}

struct contest {
    model what;
    tensors inputs;
};

// Prints a line of a table unless it is not wanted, and returns the ratio with each number of threads.
std::vector<double> race_line(const std::string &name, int64_t rows, int64_t columns,
                              const std::function<contest()> &make) {
    const std::string label = name + " | " + std::to_string(rows) + " x " + std::to_string(columns);
    std::vector<double> ratios;
    if (!label.starts_with(wanted)) return ratios;
    const contest made = make();
    std::printf("| %s |", label.c_str());
    for (const int threads : THREADS) {
        const times t = race(made.what, made.inputs, threads);
        ratios.push_back(t.cpu / t.jitnorm);
        std::printf(" %.4g / %.4g = %.2f |", t.cpu, t.jitnorm, ratios.back());
        std::fflush(stdout);
    }
    std::printf("\n");
    return ratios;
}

// The ratios of some lines, of which each has one for each number of threads.
void print_summary(const std::string &name, const std::vector<std::vector<double>> &lines) {
    if (lines.empty()) return;
    std::printf("| %s | all from 8 rows on |", name.c_str());
    for (size_t i = 0; i < std::size(THREADS); ++i) {
        double logarithms = 0, least = INFINITY;
        for (const auto &ratios : lines) {
            logarithms += std::log(ratios[i]) / double(lines.size());
            least = std::min(least, ratios[i]);
        }
        std::printf(" mean %.2f, least %.2f |", std::exp(logarithms), least);
    }
    std::printf("\n");
}

// An operator; "Add, OPERATOR" is two nodes, and the sum an output.
contest make_operator(const std::string &name, type its, const dims &shape) {
    const bool adds = name.starts_with("Add, ");
    norm_case c{.op = adds ? name.substr(5) : name, .its = its, .scale_type = its, .x = shape};
    c.sum = c.has_skip();
    model m = model_of(c);
    if (!adds) return {m, inputs_of(c)};
    m.inputs = {{"a", its, shape}, {"b", its, shape}};
    m.nodes.insert(m.nodes.begin(), {"", "Add", {"a", "b"}, {"x"}, {}});
    m.outputs.push_back({"x", its, shape});
    return {m, {{"a", random(its, shape, 1)}, {"b", random(its, shape, 2)}}};
}

void race_operator(type its, const std::string &name) {
    const std::string label = (its == F32 ? "f32 " : "f16 ") + name;
    std::vector<std::vector<double>> lines;
    for (const auto &[rows, columns] :
         {std::pair<int64_t, int64_t>{1, 768}, {8, 768}, {128, 768}, {512, 1024}, {512, 4096}}) {
        const dims shape = {1, rows, columns};
        const auto ratios = race_line(label, rows, columns, [&] { return make_operator(name, its, shape); });
        if (rows > 1 && !ratios.empty()) lines.push_back(ratios);
    }
    print_summary(label, lines);
}

void race_model(const std::string &name, model (*make)(const transformer &), const transformer &shape) {
    for (const int64_t rows : {int64_t(1), int64_t(128)})
        race_line("f32 " + name, rows, shape.hidden, [&] {
            return contest{make(shape), inputs_of_model(shape, 1, rows, make == bert)};
        });
}

} // namespace

int main(int count, char **arguments) {
    if (count > 1) wanted = arguments[1];
    std::printf("ONNX Runtime %s. Microseconds of a run, the CPU provider's / jitnorm's = ratio.\n\n"
                "| model | rows x columns | 1 thread | 2 threads |\n|---|---|---|---|\n",
                version().c_str());
    for (const type its : {F32, F16})
        for (const char *op : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                               "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "Add, LayerNormalization"})
            race_operator(its, op);
    race_model("block of BERT-base", bert, {});
    race_model("block of TinyLlama", llama, {.hidden = 2048, .heads = 32, .inner = 5632});
}
