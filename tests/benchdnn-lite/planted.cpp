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
    const char *where = std::getenv("PLANT");
    const bool is_input = where != nullptr && std::string_view(where) == "input";
    const bool is_scratchpad = where != nullptr && std::string_view(where) == "scratchpad";
    const buffer &out = e.data(is_input               ? JITNORM_ARG_SRC
                               : is_scratchpad        ? JITNORM_ARG_SCRATCHPAD
                               : e.prb().is_forward() ? JITNORM_ARG_DST
                                                      : JITNORM_ARG_DIFF_SRC);
    const layout &shape = out.shape();
    if (where == nullptr)
        out.set(out.elements() - 1, 2 * out.at(out.elements() - 1) + 1);
    else if (std::string_view(where) == "small")
        for (dim_t i = 0; i < out.elements(); ++i) out.set(i, out.at(i) * (1 + 4e-6));
    else if (std::string_view(where) == "padding")
        store(shape.type, out.data(), shape.offset_of(shape.padded_elements() - 1, shape.padded_dims), 1);
    else
        static_cast<char *>(out.data())[out.size()] = 0;
}

} // namespace

int main(int argc, char **argv) { return run_command_line(argc, argv, plant); }
