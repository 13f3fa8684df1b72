// SPDX-License-Identifier: Apache-2.0
// Runs an execution and judges every output by the oracle.
#include "check.hpp"

#include <chrono>
#include <cstdio>

#include "row_checker.hpp"
#include "rows_in_parallel.hpp"

namespace benchdnn_lite {

namespace {

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Finds what no comparison of elements shows: writes outside of the tensor, and padding of blocks that is not zero.
void check_surroundings(const argument &a, comparison &output) {
    if (!a.data.guards_intact()) output.add_fault("written outside of the tensor's memory");
    if (!a.data.padding_is_zero()) output.add_fault("the padding of its blocks is not zero");
}

// Checks all rows, each range of rows with a checker of its own. The first checker gets the findings of the others.
void check_rows(const problem &p, std::deque<row_checker> &checkers, const execution &e, const kept_inputs &inputs,
                fill_kind kind) {
    const dim_t rows = p.rows(), ranges = ranges_for(rows, p.row_length());
    for (dim_t range = 0; range < ranges; ++range) checkers.emplace_back(e, inputs, kind);
    rows_in_parallel(rows, ranges,
                     [&](dim_t range, dim_t begin, dim_t end) { checkers[size_t(range)].check_rows(begin, end); });
    for (size_t range = 1; range < checkers.size(); ++range) checkers[0].merge(checkers[range]);
    checkers[0].check_gradients();
}

std::string note_on(const comparison &output) {
    char text[128];
    std::snprintf(text, sizeof text, "[COMPARE] %s: %zu elements, %zu wrong, worst accepted error %.3g of the allowed",
                  output.tensor().c_str(), output.total(), output.errors(), output.worst_of_allowed());
    return text;
}

} // namespace

phase::phase(phase_times *times, double phase_times::*which) : times_(times), which_(which), start_ms_(now_ms()) {}

phase::~phase() {
    if (times_) times_->*which_ += now_ms() - start_ms_;
}

check_result check(const execution &e, fill_kind kind, const check_options &options) {
    {
        const phase filling(options.times, &phase_times::fill);
        fill(e, kind, options.seed);
    }
    const kept_inputs inputs(e);
    {
        const phase executing(options.times, &phase_times::execute);
        e.run();
    }
    if (options.tamper) options.tamper(e);
    const phase comparing(options.times, &phase_times::compare);
    std::deque<row_checker> checkers;
    check_rows(e.prb(), checkers, e, inputs, kind);
    check_result result;
    for (auto &[id, output] : checkers[0].outputs()) {
        for (const argument &a : e.arguments())
            if (a.id == id) check_surroundings(a, output);
        result.errors += output.errors();
        result.total += output.total();
        for (std::string &line : output.report()) result.lines.push_back(std::move(line));
        result.notes.push_back(note_on(output));
    }
    return result;
}

} // namespace benchdnn_lite
