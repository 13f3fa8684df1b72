// SPDX-License-Identifier: Apache-2.0
// Files on request: nothing that was planted under their names is touched, and where they cannot be written the library
// works all the same and the log says why.
#include <gtest/gtest.h>

#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>

#include "written_files.hpp"

namespace jitnorm::tests {
namespace {

// ---------------------------------------------------------------- what they are

TEST_F(written_files, the_perf_map_is_private_and_names_kernels) {
    profile();
    generate();
    const struct stat status = status_of(perf_map());
    EXPECT_EQ(status.st_mode, mode_t(S_IFREG | S_IRUSR | S_IWUSR));
    std::istringstream lines(content_of(perf_map()));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        size_t address = 0, size = 0;
        char name[512] = "";
        EXPECT_EQ(std::sscanf(line.c_str(), "%zx %zx %511s", &address, &size, name), 3) << line;
        EXPECT_GT(size, 0U);
    }
    EXPECT_GT(count, 0);
}

TEST_F(written_files, dumps_are_private_and_replaced) {
    fs::create_directory(dumps());
    dump_into(dumps());
    generate();
    const auto files = dumped();
    ASSERT_FALSE(files.empty());
    const std::string code = content_of(files[0]), left_from_before(64 * 1024, 'x');
    EXPECT_FALSE(code.empty());
    put(files[0], left_from_before);
    generate();
    const std::string now = content_of(files[0]); // but for the distances between its parts it is the same code
    EXPECT_EQ(now.substr(0, 16), code.substr(0, 16));
    EXPECT_LT(now.size(), left_from_before.size());
    for (const auto &file : files) EXPECT_EQ(status_of(file).st_mode, mode_t(S_IFREG | S_IRUSR | S_IWUSR)) << file;
}

TEST_F(written_files, without_a_folder_dumps_are_here) {
    const fs::path before = fs::current_path();
    fs::create_directory(dumps());
    fs::current_path(dumps());
    EXPECT_EQ(jitnorm_set_jit_dump(1), jitnorm_success);
    generate();
    fs::current_path(before);
    EXPECT_FALSE(dumped().empty());
}

TEST_F(written_files, none_without_a_request) {
    fs::create_directory(dumps());
    dump_into(dumps());
    profile();
    EXPECT_EQ(jitnorm_set_jit_dump(0), jitnorm_success);
    EXPECT_EQ(jitnorm_set_jit_profiling_flags(JITNORM_JIT_PROFILE_NONE), jitnorm_success);
    generate();
    EXPECT_TRUE(dumped().empty());
    EXPECT_FALSE(fs::exists(perf_map()));
}

TEST_F(written_files, unknown_profilers_are_refused) {
    for (const unsigned of_onednn : {1U, 3U, 8U, 12U, 14U})
        EXPECT_EQ(jitnorm_set_jit_profiling_flags(of_onednn), jitnorm_unimplemented);
    EXPECT_EQ(jitnorm_set_jit_profiling_flags(16), jitnorm_invalid_arguments);
    generate();
    EXPECT_FALSE(fs::exists(perf_map()));
}

// ---------------------------------------------------------------- what was planted

TEST_F(written_files, the_perf_map_is_no_link) {
    fs::create_symlink(victim(), perf_map());
    profile();
    expect_refusal_to_write(perf_map().string() + ": ");
}

TEST_F(written_files, the_perf_map_has_no_other_name) {
    fs::create_hard_link(victim(), perf_map());
    profile();
    generate();
    EXPECT_EQ(content_of(victim()), PRECIOUS);
}

TEST_F(written_files, the_perf_map_is_no_pipe) {
    ASSERT_EQ(mkfifo(perf_map().c_str(), 0600), 0);
    profile();
    generate(); // and does not wait for a reader
    const int reader = open(perf_map().c_str(), O_RDONLY | O_NONBLOCK);
    generate(); // and writes nothing to one that is there
    char byte;
    EXPECT_EQ(read(reader, &byte, 1), 0);
    close(reader);
}

TEST_F(written_files, the_perf_map_is_nobody_elses) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
    put(perf_map(), PRECIOUS);
    ASSERT_EQ(chown(perf_map().c_str(), 65534, 65534), 0);
    profile();
    generate();
    EXPECT_EQ(content_of(perf_map()), PRECIOUS);
}

TEST_F(written_files, dumps_follow_no_links) {
    fs::create_directory(dumps());
    dump_into(dumps());
    generate();
    const auto files = dumped();
    for (const auto &file : files) {
        fs::remove(file);
        fs::create_symlink(victim(), file);
    }
    generate();
    EXPECT_FALSE(files.empty());
    EXPECT_EQ(content_of(victim()), PRECIOUS);
}

// ---------------------------------------------------------------- what cannot be written

TEST_F(written_files, a_folder_that_is_missing) {
    dump_into(dumps());
    expect_refusal_to_write(dumps().string() + "/");
    EXPECT_FALSE(fs::exists(dumps()));
}

// In a process where nobody asked for the log, one line is enough for all kernels; another folder may fail anew.
TEST_F(written_files, a_missing_folder_is_reported_once) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto fail_twice = [] {
        unsetenv("JITNORM_VERBOSE");
        std::fflush(stdout);
        dup2(STDERR_FILENO, STDOUT_FILENO); // where death tests look
        for (const char *folder : {"/nowhere", "/nowhere/else"}) {
            dump_into(folder);
            generate();
            generate();
        }
        std::exit(0);
    };
    const std::string line = "jitnorm_verbose,v1,error,cannot write /nowhere";
    const std::string rest = "/jitnorm_[a-z0-9_]*.bin: No such file or directory; JITNORM_VERBOSE=1 reports others\n";
    EXPECT_EXIT(fail_twice(), testing::ExitedWithCode(0), "^" + line + rest + line + "/else" + rest + "$");
}

TEST_F(written_files, a_folder_that_is_a_file) {
    dump_into(victim());
    expect_refusal_to_write(victim().string() + "/");
}

TEST_F(written_files, a_folder_for_reading_only) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    fs::create_directory(dumps());
    fs::permissions(dumps(), fs::perms::owner_read | fs::perms::owner_exec);
    dump_into(dumps());
    expect_refusal_to_write("");
    EXPECT_TRUE(dumped().empty());
    fs::permissions(dumps(), fs::perms::owner_all);
}

// No byte may be written: what a full disk says, with another number.
TEST_F(written_files, a_full_disk) {
    fs::create_directory(dumps());
    dump_into(dumps());
    profile();
    expect_child_succeeds([] {
        const rlimit none = {0, 0};
        need(std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &none) == 0, "the limit");
        generate();
        fs::remove(perf_map());
    });
    for (const auto &file : dumped()) EXPECT_EQ(fs::file_size(file), 0U);
}

TEST_F(written_files, a_log_that_cannot_be_written) {
    for (const char *path : {"/dev/full", "closed"})
        expect_child_succeeds([&] {
            close(STDOUT_FILENO);
            need(path[0] != '/' || open(path, O_WRONLY) == STDOUT_FILENO, "standard output");
            need(jitnorm_set_verbose(2), "the log");
            generate();
        });
}

} // namespace
} // namespace jitnorm::tests
