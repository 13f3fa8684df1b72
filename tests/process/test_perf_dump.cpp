// SPDX-License-Identifier: Apache-2.0
// jit-PID.dump, as perf reads it: its header, and for each kernel its name and its instructions.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "written_files.hpp"

namespace jitnorm::tests {
namespace {

// A file's bytes, value by value.
class reader {
public:
    explicit reader(std::string text) : text_(std::move(text)) {}

    bool at_end() const { return at_ == text_.size(); }
    template <typename T>
    T get() {
        T value = {};
        const std::string bytes = get_bytes(sizeof value);
        if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    uint32_t number() { return get<uint32_t>(); }
    uint64_t long_number() { return get<uint64_t>(); }
    std::string get_bytes(size_t size) {
        EXPECT_LE(at_ + size, text_.size());
        const std::string result = text_.substr(at_, size);
        at_ += result.size();
        return result;
    }
    std::string get_text() {
        const std::string result = text_.c_str() + at_;
        get_bytes(result.size() + 1);
        return result;
    }
    std::string rest() { return get_bytes(text_.size() - at_); }

private:
    std::string text_;
    size_t at_ = 0;
};

struct kernel {
    std::string name, code;
    uint64_t address, number, time;
};

constexpr uint32_t X86_64 = 62, CODE = 0;

void expect_header(reader &in, pid_t pid) {
    EXPECT_EQ(in.get_bytes(4), "DTiJ"); // the magic number in this byte order
    EXPECT_EQ(in.number(), 1U);
    EXPECT_EQ(in.number(), 40U);
    EXPECT_EQ(in.number(), X86_64);
    EXPECT_EQ(in.number(), 0U);
    EXPECT_EQ(in.number(), uint32_t(pid));
    EXPECT_GT(in.long_number(), 0U); // when
    EXPECT_EQ(in.long_number(), 0U);
}

kernel next_kernel(reader &in, pid_t pid) {
    kernel k;
    EXPECT_EQ(in.number(), CODE);
    reader code(in.get_bytes(in.number() - 8));
    k.time = code.long_number();
    EXPECT_EQ(code.number(), uint32_t(pid));
    EXPECT_EQ(code.number(), uint32_t(pid)); // the thread
    k.address = code.long_number();
    EXPECT_EQ(code.long_number(), k.address);
    const uint64_t code_size = code.long_number();
    k.number = code.long_number();
    k.name = code.get_text();
    k.code = code.rest();
    EXPECT_EQ(k.code.size(), code_size);
    return k;
}

std::vector<kernel> kernels_in(const fs::path &path, pid_t pid = getpid()) {
    reader in(content_of(path));
    expect_header(in, pid);
    std::vector<kernel> result;
    while (!in.at_end() && !testing::Test::HasFailure()) result.push_back(next_kernel(in, pid));
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
        EXPECT_GE(k.time, time);
        time = k.time;
        EXPECT_EQ(++numbers[k.number], 1);
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
    EXPECT_NE(log_of_generating().find("error,cannot write " + file().string() + ": "), std::string::npos);
    EXPECT_EQ(content_of(victim()), PRECIOUS);
}

TEST_F(perf_dump, that_cannot_be_begun_is_left_out) {
    fs::remove(dumps());
    EXPECT_NE(log_of_generating().find("error,cannot write " + file().string() + ": "), std::string::npos);
    fs::create_directory(dumps());
    generate(); // the next kernel tries again
    EXPECT_FALSE(kernels_in(file()).empty());
}

} // namespace
} // namespace jitnorm::tests
