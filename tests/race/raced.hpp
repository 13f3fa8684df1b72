// SPDX-License-Identifier: Apache-2.0
// raced: calls of the whole program, with its output.
#pragma once

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "race/run_race.hpp"

namespace benchdnn_lite {

struct answer {
    int status;
    std::string text, errors;
};

inline answer run(const peer_library &other, std::vector<std::string> arguments) {
    std::vector<char *> argv{nullptr};
    for (std::string &argument : arguments) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_race(int(argv.size()), argv.data(), other);
    return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

inline peer_library nobody() {
    return {"Nobody 1", [](const execution & /* e */) -> std::vector<peer> { throw refusal("not today"); }};
}

inline bool has(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

// The program must end with this status and print all parts.
inline void expect(int status, const std::vector<std::string> &parts, const peer_library &other,
                   const std::vector<std::string> &arguments) {
    const answer a = run(other, arguments);
    EXPECT_EQ(a.status, status) << a.text << a.errors;
    for (const std::string &part : parts) EXPECT_TRUE(has(a.text, part)) << "no '" << part << "' in " << a.text;
}

// The same, and the results for machines.
inline nlohmann::json raced(const std::vector<std::string> &parts, const peer_library &other,
                            std::vector<std::string> arguments) {
    const std::string name = testing::TempDir() + "raced_" + std::to_string(getpid()) + ".json";
    arguments.insert(arguments.begin(), {"--rounds=1", "--json=" + name});
    expect(0, parts, other, arguments);
    nlohmann::json results = nlohmann::json::parse(std::ifstream(name));
    std::remove(name.c_str());
    return results;
}

} // namespace benchdnn_lite
