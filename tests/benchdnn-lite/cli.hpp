// SPDX-License-Identifier: Apache-2.0
// The programs of benchdnn-lite run as a user runs them, in a folder of their own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace benchdnn_lite_cli {

namespace fs = std::filesystem;

inline size_t count_of(const std::string &text, const std::string &part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

class cli : public testing::Test {
protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "benchdnn_lite_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    // `environment`: assignments before the program's name
    void run(const std::string &arguments, const std::string &program = PROGRAM, const std::string &environment = "") {
        const std::string out = (folder_ / "out").string(), err = (folder_ / "err").string();
        const std::string command = "cd " + folder_.string() + " && " + environment + " " + program + " " + arguments +
                                    " >" + out + " 2>" + err + " </dev/null";
        int answer = -1;
        rusage used{};
        const pid_t shell = vfork();
        if (shell == 0) {
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
        wait4(shell, &answer, 0, &used);
        peak_kilobytes_ = used.ru_maxrss;
        status_ = WIFEXITED(answer) ? WEXITSTATUS(answer) : -1;
        out_ = content_of(out);
        err_ = content_of(err);
    }

    // Runs the program, which must end with this status and print all parts on standard output.
    void expect(int status, const std::string &arguments, const std::vector<std::string> &parts = {},
                const std::string &program = PROGRAM, const std::string &environment = "") {
        run(arguments, program, environment);
        const std::string end =
            arguments + "\n" + out_.substr(out_.size() - std::min<size_t>(out_.size(), 4096)) + err_;
        EXPECT_EQ(status_, status) << end;
        for (const std::string &part : parts)
            EXPECT_NE(out_.find(part), out_.npos) << "'" << part << "' is not the answer to " << end;
    }

    void write(const fs::path &name, const std::string &content) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << content;
    }

    static std::string content_of(const std::string &file) {
        std::ostringstream content;
        content << std::ifstream(file).rdbuf();
        return content.str();
    }

    fs::path folder_;
    int status_ = -1;
    long peak_kilobytes_ = 0; // of the memory that the program had
    std::string out_, err_;
};

} // namespace benchdnn_lite_cli
