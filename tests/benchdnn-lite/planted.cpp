// SPDX-License-Identifier: Apache-2.0
// benchdnn-lite with an error planted after each execution, for the tests of its failure report: the last element of
// dst (or diff_src) is doubled plus one. With PLANT=small every element is off by 4e-6 of itself instead; with
// PLANT=padding or PLANT=outside, an element of a block's padding or a byte beyond the tensor is written; with
// PLANT=input and PLANT=scratchpad a byte beyond these.
#include <cstdlib>
#include <string_view>

#include "cli/run.hpp"

namespace {

using namespace benchdnn_lite;

void plant(const execution &e) {
    const char *const set = std::getenv("PLANT");
    const std::string_view where = set != nullptr ? set : "";
    const int result = e.prb().is_forward() ? JITNORM_ARG_DST : JITNORM_ARG_DIFF_SRC;
    const buffer &target = e.data(where == "input"        ? JITNORM_ARG_SRC
                                  : where == "scratchpad" ? JITNORM_ARG_SCRATCHPAD
                                                          : result);
    const layout &shape = target.shape();
    if (where.empty())
        target.set(target.elements() - 1, 2 * target.at(target.elements() - 1) + 1);
    else if (where == "small")
        for (dim_t i = 0; i < target.elements(); ++i) target.set(i, target.at(i) * (1 + 4e-6));
    else if (where == "padding")
        store(shape.type, target.data(), shape.offset_of(shape.padded_elements() - 1, shape.padded_dims), 1);
    else
        static_cast<char *>(target.data())[target.size()] = 0;
}

} // namespace

int main(int argc, char **argv) { return run_command_line(argc, argv, plant); }
