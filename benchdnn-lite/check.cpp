// SPDX-License-Identifier: Apache-2.0
// Runs an execution and judges every output by the oracle.
#include "check.hpp"

#include "row_checker.hpp"

namespace benchdnn_lite {

namespace {

// What no comparison of elements sees: bytes outside of the tensor, and the padding of blocks, which is zero.
void check_surroundings(const argument &a, comparison &output) {
    if (!a.data.guards_intact()) output.add_fault("written outside of the tensor's memory");
    if (!a.data.padding_is_zero()) output.add_fault("the padding of its blocks is not zero");
}

} // namespace

check_result check(const execution &e, fill_kind kind, uint64_t seed, const after_run &tamper) {
    fill(e, kind, seed);
    const kept_inputs inputs(e);
    e.run();
    if (tamper) tamper(e);
    row_checker checker(e, inputs);
    checker.check_all();
    check_result result;
    for (auto [id, output] : checker.outputs()) {
        for (const argument &a : e.arguments())
            if (a.id == id) check_surroundings(a, output);
        result.errors += output.errors();
        result.total += output.total();
        for (std::string &line : output.report()) result.lines.push_back(std::move(line));
    }
    return result;
}

} // namespace benchdnn_lite
