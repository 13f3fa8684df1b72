// SPDX-License-Identifier: Apache-2.0
// json_report: writes the results for --json, one JSON object for each test as it ends, so that it keeps none of them.
#pragma once

#include <fstream>
#include <string>

#include "../graph/graph_run.hpp"
#include "performance.hpp"

namespace benchdnn_lite {

class json_report {
public:
    explicit json_report(const std::string &file); // empty: nothing is written

    template <typename Result>
    void add(const test_title &title, const Result &result); // lnorm_result or graph_result
    // seconds: duration of the run. Throws std::runtime_error if not all could be written.
    void finish(const tally &counts, double seconds);

private:
    const std::string name_;
    std::ofstream file_;
    bool is_first_ = true; // the next test
};

} // namespace benchdnn_lite
