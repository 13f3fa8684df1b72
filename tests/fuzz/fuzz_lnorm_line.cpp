// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite --lnorm: an input is the text of a batch file. What parses and is small runs.
#include <algorithm>
#include <iterator>
#include <sstream>

#include "../benchdnn-lite/hostile_input.hpp"
#include "../benchdnn-lite/mutator.hpp"
#include "captured_output.hpp"
#include "cli/command_line.hpp"
#include "cli/knobs.hpp"
#include "cli/run.hpp"
#include "error.hpp"
#include "problem/memory_size.hpp"
#include "run_one.hpp"
#include "text.hpp"
#include "texts_in.hpp"

namespace jitnorm::fuzz {

namespace {

using namespace benchdnn_lite;

bool is_small(const job &j) {
    constexpr double MOST_ELEMENTS = 4096, MOST_BYTES = 1 << 20;
    double elements = 1;
    for (const dim_t dim : j.prb.size.dims) elements *= double(dim);
    const double row = double(j.prb.row_length());
    return elements <= MOST_ELEMENTS && row <= MOST_ELEMENTS && bytes_needed(j.prb) <= MOST_BYTES &&
           !j.options.mode.time && !j.options.mode.bitwise;
}

// Whether it takes milliseconds, and leaves no file behind.
bool is_worth_running(const command &c) {
    constexpr size_t MOST_JOBS = 4;
    if (!c.json.empty() || c.jobs.size() > MOST_JOBS) return false;
    for (size_t i = 0; i < c.jobs.size(); ++i)
        if (!is_small(c.jobs[i])) return false;
    return true;
}

// Files of the machine are nobody's input: reading some never ends.
bool names_a_file(const std::vector<std::string> &arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const std::string &argument) { return argument.starts_with("--batch"); });
}

void run(std::vector<std::string> arguments) {
    std::string name = "benchdnn-lite";
    std::vector<char *> argv{name.data()};
    for (std::string &argument : arguments) argv.push_back(argument.data());
    int status = 0;
    std::string out, err;
    {
        const captured_output standard(1), errors(2);
        status = run_command_line(int(argv.size()), argv.data());
        out = standard.text();
        err = errors.text();
    }
    check_outcome(status, out, err);
}

// Every knob with each value of its example, before a shape that takes no time; and the corpus.
std::vector<std::string> small_lines() {
    constexpr const char *SHAPES[] = {"2x3", "1x1", "3x0", "0x7", "2x5x33", "5x17", "2x2x2x2x9", "40x64", "3x513"};
    std::vector<std::string> lines = texts_in(CORPUS);
    for (const knob &k : knobs_of(driver::lnorm))
        for (const std::string &value : split(k.example, ','))
            lines.push_back(concat("--", k.name, k.example.empty() ? "" : "=", value, " ",
                                   SHAPES[lines.size() % std::size(SHAPES)]));
    return lines;
}

} // namespace

int run_one(const uint8_t *data, size_t size) {
    const std::string text(data, data + size);
    const std::vector<std::string> arguments = arguments_in(text);
    if (text.find('\0') != text.npos || names_a_file(arguments)) return 0;
    try {
        const bool is_mistake = !mistake_in_hostile(arguments).empty();
        if (is_mistake || is_worth_running(parse_command_line(arguments))) run(arguments);
    } catch (const broken_promise &error) {
        require(false, "the parser understands or explains", error.what());
    }
    return 0;
}

std::string input_of_seed(uint64_t seed) {
    // The shapes of models, in the shipped files, are too large to be run here.
    static const std::vector<std::string> small = small_lines(), shipped = lnorm_lines(INPUTS);
    return seed % 4 == 0 ? mutator(seed, shipped).next() : mutator(seed, small).next(4, seed % 2);
}

} // namespace jitnorm::fuzz
