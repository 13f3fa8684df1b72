// SPDX-License-Identifier: Apache-2.0
// A fuzz target as the ordinary suite runs it, and to reproduce a finding:
//     PROGRAM [--names] [--seeds=FIRST:COUNT] [--at-least=COUNT:EVENT] [FILE or FOLDER]...
// A file beside the program has the current input, also after a crash. --names prints the name of each input before it
// runs. At the end the program prints how often each event happened (run_one.hpp); with --at-least it fails if an event
// was rarer among the inputs so far.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "run_one.hpp"

namespace {

namespace fs = std::filesystem;
using jitnorm::fuzz::run_one;

// A file keeps its bytes when the process dies.
class input_in_work {
public:
    explicit input_in_work(std::string path)
        : path_(std::move(path)), file_(open(path_.c_str(), O_CREAT | O_RDWR, 0644)) {
        if (file_ < 0) {
            std::perror(path_.c_str());
            std::exit(2);
        }
    }
    ~input_in_work() {
        close(file_);
        unlink(path_.c_str());
    }
    input_in_work(const input_in_work &) = delete;
    input_in_work &operator=(const input_in_work &) = delete;

    void run(const std::string &name, const std::string &bytes) {
        if (prints_names) {
            std::printf("%s\n", name.c_str());
            std::fflush(stdout);
        }
        if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
            std::perror(path_.c_str());
        // On the heap and of exactly this size, so that the address sanitizer sees a read after the input's end.
        const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
        run_one(exact.data(), exact.size());
        ++count_;
    }
    size_t count() const { return count_; }
    bool prints_names = false;

private:
    const std::string path_;
    const int file_;
    size_t count_ = 0;
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
    if (!file) {
        std::fprintf(stderr, "cannot read %s\n", path.c_str());
        std::exit(2);
    }
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
    if (std::sscanf(range, "%llu:%llu", &first, &count) != 2) {
        std::fprintf(stderr, "--seeds=FIRST:COUNT, not '%s'\n", range);
        std::exit(2);
    }
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
    input_in_work inputs(std::string(argv[0]) + ".input");
    constexpr const char SEEDS[] = "--seeds=", AT_LEAST[] = "--at-least=";
    bool is_enough = true;
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], SEEDS, sizeof SEEDS - 1) == 0)
            run_seeds(argv[i] + sizeof SEEDS - 1, inputs);
        else if (std::strncmp(argv[i], AT_LEAST, sizeof AT_LEAST - 1) == 0)
            is_enough &= happened_enough(argv[i] + sizeof AT_LEAST - 1);
        else if (std::strcmp(argv[i], "--names") == 0)
            inputs.prints_names = true;
        else
            for (const fs::path &path : files_in(argv[i])) run_file(path, inputs);
    }
    std::printf("%zu inputs\n", inputs.count());
    for (const auto &[event, count] : jitnorm::fuzz::tally()) std::printf("%7zu %s\n", count, event.c_str());
    return inputs.count() > 0 && is_enough ? 0 : 2;
}
