// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite --graph: an input is a line of arguments and, below it, the graph in JSON that the argument
// --case=THIS names. What is small runs.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <sstream>
#include <vector>

#include "../benchdnn-lite/mutator.hpp"
#include "captured_output.hpp"
#include "cli/run.hpp"
#include "error.hpp"
#include "graph/graph_rewrite.hpp"
#include "run_one.hpp"
#include "text.hpp"
#include "texts_in.hpp"

namespace jitnorm::fuzz {

namespace {

using namespace benchdnn_lite;

constexpr std::string_view THIS_CASE = "--case=THIS", CASE = "--case=";

// A file in memory, with a name by which it can be opened.
class case_file {
public:
    explicit case_file(std::string_view content) : file_(memfd_create("case", MFD_CLOEXEC)) {
        require(file_ >= 0 && write(file_, content.data(), content.size()) == ssize_t(content.size()),
                "a file in memory can be made");
    }
    ~case_file() { close(file_); }
    case_file(const case_file &) = delete;
    case_file &operator=(const case_file &) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
    const int file_;
};

// The values of the last --NAME=A,B among the arguments so far.
std::vector<std::string> alternatives(const std::vector<std::string> &arguments, const std::string &name) {
    std::vector<std::string> result{""};
    for (const std::string &argument : arguments)
        if (argument.starts_with(name)) result = split(argument.substr(name.size()), ',');
    return result;
}

bool is_small(const graph_tensor &t) {
    constexpr double MOST_ELEMENTS = 4096, MOST_REACH = 65536;
    double elements = 1, reach = 1;
    for (size_t d = 0; d < t.dims.size(); ++d) {
        elements *= double(t.dims[d]);
        if (d < t.strides.size()) reach += double(t.dims[d]) * double(t.strides[d]);
    }
    return elements <= MOST_ELEMENTS && reach <= MOST_REACH;
}

bool is_small(const graph_case &graph) {
    constexpr size_t MOST_OPS = 6;
    const auto all_small = [](const std::vector<graph_tensor> &tensors) {
        return std::all_of(tensors.begin(), tensors.end(), [](const graph_tensor &t) { return is_small(t); });
    };
    return graph.ops.size() <= MOST_OPS && std::all_of(graph.ops.begin(), graph.ops.end(), [&](const graph_op &op) {
               return all_small(op.inputs) && all_small(op.outputs);
           });
}

// A rewriting may set and take back shapes, so each combination is looked at; what is a mistake takes no time.
bool is_small(const std::string &content, const std::vector<std::string> &arguments) {
    for (const std::string &attributes : alternatives(arguments, "--op-attrs="))
        for (const std::string &shapes : alternatives(arguments, "--in-shapes=")) {
            graph_case graph = parse_graph(content);
            rewrite_attributes(graph, attributes);
            rewrite_shapes(graph, shapes);
            if (!is_small(graph)) return false;
        }
    return true;
}

// Whether a run takes milliseconds and neither reads nor writes a file of the machine.
bool is_worth_running(const std::string &content, const std::vector<std::string> &arguments) {
    const auto is = [&](std::string_view begin) {
        return [begin](const std::string &argument) { return argument.starts_with(begin); };
    };
    const auto has = [&](std::string_view begin) {
        return std::count_if(arguments.begin(), arguments.end(), is(begin));
    };
    const auto own = std::count(arguments.begin(), arguments.end(), std::string(THIS_CASE));
    if (own > 2 || own != has(CASE) || has("--mode") > 0) return false;
    if (has("--batch") > 0 || has("--json") > 0 || has("--repeats-per-prb") > 0) return false;
    if (has("--op-attrs") > 1 || has("--in-shapes") > 1) return false;
    try {
        return own == 0 || is_small(content, arguments);
    } catch (const input_error &) {
        return true;
    }
}

void run(const std::vector<std::string> &arguments, const std::string &path) {
    std::vector<std::string> all{"benchdnn-lite", "--graph"};
    for (const std::string &argument : arguments)
        all.push_back(argument == THIS_CASE ? std::string(CASE) + path : argument);
    std::vector<char *> argv;
    for (std::string &argument : all) argv.push_back(argument.data());
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

// Still a graph, but of other sizes, strides, ids.
std::string with_other_digits(std::string text, uint64_t seed) {
    std::mt19937_64 numbers(seed);
    for (size_t left = 1 + numbers() % 3; left > 0;) {
        char &c = text[numbers() % text.size()];
        if (c < '0' || c > '9') continue;
        c = char('0' + numbers() % 10);
        --left;
    }
    return text;
}

} // namespace

int run_one(const uint8_t *data, size_t size) {
    const std::string text(data, data + size);
    const size_t end = std::min(text.find('\n'), text.size());
    if (text.find('\0') < end) return 0;
    std::istringstream line(text.substr(0, end));
    const std::vector<std::string> arguments{std::istream_iterator<std::string>(line), {}};
    const std::string content = text.substr(std::min(end + 1, text.size()));
    if (!is_worth_running(content, arguments)) return 0;
    const case_file file(content);
    run(arguments, file.path());
    return 0;
}

std::string input_of_seed(uint64_t seed) {
    static const std::vector<std::string> texts = texts_in(CORPUS);
    const std::string &text = texts[seed % texts.size()];
    const size_t end = text.find('\n') + 1;
    const std::vector<std::string> arguments{text.substr(0, end)}, content{text.substr(end)};
    if (seed % 4 > 1) return with_other_digits(text, seed);
    if (seed % 4 == 1) return arguments[0] + mutator(seed, content).next(1, 2);
    return mutator(seed, arguments).next(1, 1) + content[0];
}

} // namespace jitnorm::fuzz
