// SPDX-License-Identifier: Apache-2.0
// settings: the state that the knobs of the driver --lnorm change. Most hold lists; a shape runs their cross product.
#pragma once

#include <vector>

#include "../problem/mode.hpp"
#include "../problem/problem.hpp"

namespace benchdnn_lite {

// --reset goes back to these defaults.
struct settings {
    std::vector<direction> dirs{direction::FWD_D};
    std::vector<row_types> types{row_types{}};
    std::vector<row_tags> tags{row_tags{}};
    std::vector<std::string> stat_tags{"any"};
    std::vector<weight_types> scale_shift_types{weight_types{}};
    std::vector<unsigned> flags{0};
    std::vector<float> epsilons{DEFAULT_EPSILON};
    std::vector<residual_addition> residuals{residual_addition{}};
    std::vector<std::optional<residual_tensor>> unquantized{std::nullopt};
    std::vector<tensor_scales> scales{tensor_scales{}};
    std::vector<std::vector<post_op>> post_ops{{}};
    std::vector<bool> user_scratchpad{false};
    std::vector<fpmath> precisions{fpmath{}};
    std::vector<bool> deterministic{false};
    std::vector<thread_context> creations{thread_context{}}, executions{thread_context{}};
    std::vector<bool> in_place{false};
    impl_filter filter;
    std::string match; // a POSIX basic regular expression; empty: every problem
};

struct job {
    problem prb;
    run_options options;

    // What follows the program's name to run this problem once more.
    std::string line() const;
};

// Appends the cross product for one shape, the last list of settings varying fastest, but for the problems whose line
// does not match. Throws input_error if a tag does not fit the shape.
void append_problems(const settings &s, const shape &size, const run_options &options, std::vector<job> &jobs);

} // namespace benchdnn_lite
