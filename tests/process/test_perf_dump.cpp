// SPDX-License-Identifier: Apache-2.0
// jit-PID.dump, as perf reads it: its header, and for each kernel its name and its instructions.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string_view>

#include "written_files.hpp"

namespace jitnorm::tests {
namespace {

constexpr uint32_t VERSION = 1, X86_64 = 62, CODE = 0;

struct header {
    char magic[4]; // of the order of bytes
    uint32_t version, bytes, processor, zero, process;
    uint64_t time, flags;
};

struct record { // followed by the name with its last 0, and the instructions
    uint32_t kind, bytes;
    uint64_t time;
    uint32_t process, thread;
    uint64_t address, address_of_code, bytes_of_code, number;
};

struct kernel {
    record about;
    std::string name, code;
};

// What is at the beginning of the text, which loses it.
template <typename T>
T take(std::string_view &text) {
    T taken = {};
    EXPECT_GE(text.size(), sizeof taken);
    const size_t size = std::min(text.size(), sizeof taken);
    std::memcpy(&taken, text.data(), size);
    text.remove_prefix(size);
    return taken;
}

kernel next_kernel(std::string_view &text, pid_t pid) {
    const std::string_view whole = text;
    const auto about = take<record>(text);
    EXPECT_EQ(about.kind, CODE);
    EXPECT_EQ(about.process, uint32_t(pid));
    EXPECT_EQ(about.thread, uint32_t(pid));
    EXPECT_EQ(about.address_of_code, about.address);
    EXPECT_LE(about.bytes, whole.size());
    const std::string name = text.data();
    EXPECT_EQ(sizeof about + name.size() + 1 + about.bytes_of_code, about.bytes);
    text = whole.substr(std::min<size_t>(about.bytes, whole.size()));
    return {about, name, std::string(text.data() - about.bytes_of_code, about.bytes_of_code)};
}

std::vector<kernel> kernels_in(const fs::path &path, pid_t pid = getpid()) {
    const std::string content = content_of(path);
    std::string_view text = content;
    const auto begin = take<header>(text);
    EXPECT_EQ(std::string_view(begin.magic, 4), "DTiJ");
    EXPECT_EQ(begin.version, VERSION);
    EXPECT_EQ(begin.bytes, sizeof begin);
    EXPECT_EQ(begin.processor, X86_64);
    EXPECT_EQ(begin.zero, 0U);
    EXPECT_EQ(begin.process, uint32_t(pid));
    EXPECT_GT(begin.time, 0U);
    EXPECT_EQ(begin.flags, 0U);
    std::vector<kernel> result;
    while (!text.empty() && !testing::Test::HasFailure()) result.push_back(next_kernel(text, pid));
    return result;
}

class perf_dump : public written_files {
protected:
    void SetUp() override {
        written_files::SetUp();
        if (IsSkipped()) return;
        fs::create_directory(dumps());
        begin_in(dumps());
    }

    static void begin_in(const fs::path &where) {
        EXPECT_EQ(jitnorm_set_jit_dump_folder(where.c_str()), jitnorm_success);
        EXPECT_EQ(jitnorm_set_jit_profiling_flags(JITNORM_JIT_PROFILE_LINUX_JITDUMP), jitnorm_success);
    }
    static std::string file_name(pid_t pid = getpid()) { return "jit-" + std::to_string(pid) + ".dump"; }
    fs::path file(pid_t pid = getpid()) const { return dumps() / file_name(pid); }
};

TEST_F(perf_dump, has_the_instructions_of_each_kernel) {
    EXPECT_EQ(jitnorm_set_jit_dump(1), jitnorm_success);
    generate();
    std::map<std::string, std::string> last; // of each name, as NAME.bin has it
    uint64_t time = 0;
    std::map<uint64_t, int> numbers;
    for (const kernel &k : kernels_in(file())) {
        last[k.name] = k.code;
        EXPECT_GE(k.about.time, time);
        time = k.about.time;
        EXPECT_EQ(++numbers[k.about.number], 1);
    }
    EXPECT_GT(last.size(), 2U);
    for (const auto &[name, code] : last) EXPECT_TRUE(content_of(dumps() / (name + ".bin")) == code) << name;
    EXPECT_EQ(dumped().size(), last.size() + 1);
    EXPECT_EQ(status_of(file()).st_mode, mode_t(S_IFREG | S_IRUSR | S_IWUSR));
}

// perf looks for a mapping of this name among the executable ones.
TEST_F(perf_dump, is_shown_to_perf_and_cannot_be_executed) {
    generate();
    std::ifstream maps("/proc/self/maps");
    int shown = 0;
    for (std::string line; std::getline(maps, line);) {
        if (line.find(file().string()) == std::string::npos) continue;
        unsigned long begin = 0, end = 0, offset = 0;
        char permissions[8] = "";
        ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %7s %lx", &begin, &end, permissions, &offset), 4) << line;
        EXPECT_STREQ(permissions, "r-xp");
        EXPECT_GT(offset, fs::file_size(file())) << "what is mapped has contents";
        ++shown;
    }
    EXPECT_EQ(shown, 1);
}

TEST_F(perf_dump, replaces_what_another_process_of_this_number_left) {
    put(file(), std::string(64 * 1024, 'x'));
    generate();
    EXPECT_FALSE(kernels_in(file()).empty());
}

TEST_F(perf_dump, begins_anew_in_another_folder) {
    generate();
    const size_t before = fs::file_size(file());
    const fs::path other = folder() / "other";
    fs::create_directory(other);
    begin_in(other);
    generate();
    EXPECT_FALSE(kernels_in(other / file_name()).empty());
    EXPECT_EQ(fs::file_size(file()), before);
    begin_in(dumps());
    generate();
    EXPECT_GT(kernels_in(file()).size(), kernels_in(other / file_name()).size()) << "goes on there";
}

TEST_F(perf_dump, of_a_child_is_its_own) {
    generate();
    const std::string before = content_of(file());
    pid_t child = 0;
    const fs::path number = folder() / "child";
    expect_child_succeeds([&] {
        put(number, std::to_string(getpid()));
        generate();
    });
    std::ifstream(number) >> child;
    EXPECT_EQ(content_of(file()), before);
    EXPECT_FALSE(kernels_in(file(child), child).empty());
}

TEST_F(perf_dump, follows_no_link) {
    fs::create_symlink(victim(), file());
    expect_refusal_to_write(file().string() + ": ");
}

TEST_F(perf_dump, that_cannot_be_begun_is_left_out) {
    fs::remove(dumps());
    expect_refusal_to_write(file().string() + ": ");
    fs::create_directory(dumps());
    generate(); // the next kernel tries again
    EXPECT_FALSE(kernels_in(file()).empty());
}

} // namespace
} // namespace jitnorm::tests
