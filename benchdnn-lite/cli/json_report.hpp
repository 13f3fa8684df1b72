// SPDX-License-Identifier: Apache-2.0
// json_report: collects the results for --json, one JSON object for each test.
#pragma once

#include <memory>
#include <string>

#include "../graph/graph_run.hpp"
#include "performance.hpp"

namespace benchdnn_lite {

class json_report {
public:
    json_report();
    ~json_report();
    json_report(const json_report &) = delete;
    json_report &operator=(const json_report &) = delete;

    void add(const test_title &title, const lnorm_result &result);
    void add(const test_title &title, const graph_result &result);
    // seconds: duration of the run. Throws std::runtime_error if the file cannot be written.
    void write(const std::string &file, const tally &counts, double seconds) const;

private:
    struct content;
    std::unique_ptr<content> content_;
};

} // namespace benchdnn_lite
