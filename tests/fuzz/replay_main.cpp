// SPDX-License-Identifier: Apache-2.0
// A fuzz target as the ordinary suite runs it, and to reproduce a finding:
//     PROGRAM [--names] [--seeds=FIRST:COUNT] [--at-least=COUNT:EVENT] [FILE or FOLDER]...
// A file beside the program has the current input, also after a crash. --names prints the name of each input before it
// runs. At the end the program prints how often each event happened (run_one.hpp); with --at-least it fails if an event
// was rarer among the inputs so far.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "run_one.hpp"

namespace {

namespace fs = std::filesystem;
using jitnorm::fuzz::run_one;

[[noreturn]] void fail(const std::string &reason) {
    std::fprintf(stderr, "%s\n", reason.c_str());
    std::exit(2);
}

struct input_in_work {
    const std::string path; // of a file, which keeps its bytes when the process dies
    size_t count = 0;
    bool prints_names = false;

    void run(const std::string &name, const std::string &bytes) {
        if (prints_names) std::printf("%s\n", name.c_str());
        std::fflush(stdout);
        if (!(std::ofstream(path, std::ios::binary) << bytes).flush()) fail("cannot write " + path);
        // On the heap and of exactly this size, so that the address sanitizer sees a read after the input's end.
        const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
        run_one(exact.data(), exact.size());
        ++count;
    }
};

std::vector<fs::path> files_in(const fs::path &named) {
    if (!fs::is_directory(named)) return {named};
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(named))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void run_file(const fs::path &path, input_in_work &inputs) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail("cannot read " + path.string());
    inputs.run(path.string(), {std::istreambuf_iterator<char>(file), {}});
}

// The target's input number `seed`, the same on every machine: random bytes, of different lengths.
std::string input_of_seed(uint64_t seed) {
    constexpr size_t LENGTHS[] = {16, 128, 256, 512, 1024};
    std::mt19937_64 numbers(seed);
    std::string bytes(LENGTHS[numbers() % std::size(LENGTHS)], '\0');
    for (char &byte : bytes) byte = char(numbers() % 256);
    return bytes;
}

void run_seeds(const char *range, input_in_work &inputs) {
    unsigned long long first = 0, count = 0;
    if (std::sscanf(range, "%llu:%llu", &first, &count) != 2) fail(std::string("--seeds=FIRST:COUNT, not ") + range);
    for (unsigned long long seed = first; seed < first + count; ++seed)
        inputs.run("seed " + std::to_string(seed), input_of_seed(seed));
}

bool happened_enough(const std::string &wanted) {
    const size_t colon = wanted.find(':');
    const std::string event = wanted.substr(colon + 1);
    const size_t count = jitnorm::fuzz::tally()[event];
    const bool is_enough = count >= std::strtoull(wanted.c_str(), nullptr, 10);
    if (!is_enough) std::fprintf(stderr, "%s: %zu inputs, not %s\n", event.c_str(), count, wanted.c_str());
    return is_enough;
}

} // namespace

int main(int argc, char **argv) {
    input_in_work inputs{std::string(argv[0]) + ".input"};
    bool is_enough = true;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i], value = argument.substr(argument.find('=') + 1);
        if (argument.starts_with("--seeds="))
            run_seeds(value.c_str(), inputs);
        else if (argument.starts_with("--at-least="))
            is_enough &= happened_enough(value);
        else if (argument == "--names")
            inputs.prints_names = true;
        else
            for (const fs::path &path : files_in(argument)) run_file(path, inputs);
    }
    fs::remove(inputs.path);
    std::printf("%zu inputs\n", inputs.count);
    for (const auto &[event, count] : jitnorm::fuzz::tally()) std::printf("%7zu %s\n", count, event.c_str());
    return inputs.count > 0 && is_enough ? 0 : 2;
}
